// Package arrows holds the packages of Patchbay to their places.
//
// Imports point one way, from the command down to the wire, and what others import stays light:
//
//	cmd ─▶ gateway, conform, internal/* ─▶ agent, client, policy, journal, trace ─▶ dialect ─▶ transport ─▶ jsonrpc
//
// The table in house.go gives every package its floor, those that are still to come included, and names the modules of
// others that it may pull in. The tests of this package compare it with what the go command lists, for every system
// that Patchbay is built for; a package without a place fails them. A second test plays the importer: it builds the
// README's example in a module of its own and looks at what came along.
package arrows
