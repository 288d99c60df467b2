// Package tool has what the built-in agent can do: read, write and edit files, list and search folders, run commands, fetch
// pages, plan and ask. Each tool is in a file of its own, or in several that begin with its name.
//
// A tool is used in two steps, so that a call can be shown, and the user asked, before anything happens:
//
//	job, err := t.Prepare(env, input) // what would be done, from the input alone
//	...                               // show job.Title and job.Locations; decide about job.Call, by package policy
//	result, err := job.Run(ctx)
//
// Where tools work is an Env: a Local one reads and writes the disk and runs commands in this process's own children. An
// agent puts one in front that goes through its client wherever the client offers that (F158). Either way a path outside
// the session's roots is refused.
package tool
