// Package client builds a client of the Agent Client Protocol: a program that drives an agent.
package client
