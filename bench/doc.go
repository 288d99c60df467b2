// Command bench measures Patchbay beside others that speak the Agent Client Protocol, in one run, and prints one table.
//
//	go -C bench run .                            everything, three rounds
//	go -C bench run . -short                     a quick look: one round, shorter measurements
//	go -C bench run . -stack coder,floor -scenario updates-100,roundtrip
//
// The stacks are:
//
//	patchbay  this repository: package agent on one end, package client on the other
//	core      what these stand on: packages jsonrpc and acp, with the least that makes an agent and a client
//	coder     github.com/coder/acp-go-sdk, another SDK for Go
//	ts        @agentclientprotocol/sdk, the official SDK for TypeScript, on both ends, run by node
//	floor     the same bytes through the same pipe with no JSON: lines are split and cut at known places
//
// Everything a user pays for is in the measurement: a typed value is encoded, framed, written, read, dispatched, decoded
// into a typed value and given to a handler, in order; the handler counts and checks the length of the text.
//
// Every measurement is a process of its own, with an agent as its child, so that no stack inherits another one's heap.
// The stacks take turns within a round, since machines are noisy: the ratios are taken within a round, and the table
// shows medians over the rounds. On a machine that others use, add -calm.
//
// It is a module of its own so that the rivals never enter the main one. The TypeScript SDK comes from ../interop (run
// npm ci there), or from the folder that -sdk names.
package main
