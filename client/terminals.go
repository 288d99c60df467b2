package client

// Terminals runs commands for agents.
type Terminals struct{}
