package client

// Files is a file system for agents.
type Files struct{}
