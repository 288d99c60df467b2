// Command patchbay is the Agent Client Protocol on the command line. Its subcommands have a file each.
package main

import "github.com/alecthomas/kong"

// commandLine is what can be typed after the program's name.
type commandLine struct {
	Agent agentCmd `cmd:"" help:"Be a coding agent on standard input and output, for an editor to start."`
}

func main() {
	var typed commandLine
	parsed := kong.Parse(&typed, kong.Name("patchbay"), kong.Description("Any client, any agent: the Agent Client Protocol."))
	parsed.FatalIfErrorf(parsed.Run())
}
