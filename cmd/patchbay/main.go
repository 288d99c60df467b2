// Command patchbay is the Agent Client Protocol on the command line. Its subcommands have a file each.
package main

import (
	"os"

	"github.com/alecthomas/kong"

	_ "github.com/patchbay-dev/patchbay/internal/sandbox" // takes over before main in a child that is to be bound
)

// commandLine is what can be typed after the program's name.
type commandLine struct {
	Agent    agentCmd    `cmd:"" help:"Be a coding agent on standard input and output, for an editor to start."`
	Run      runCmd      `cmd:"" help:"Give an agent a prompt, and print what happens as it happens."`
	Agents   agentsCmd   `cmd:"" help:"List the agents that are known by name, add, install and examine them."`
	Config   configCmd   `cmd:"" help:"Print how everything is set up, and where each value comes from."`
	Login    loginCmd    `cmd:"" help:"Store the key of a provider of models."`
	Logout   logoutCmd   `cmd:"" help:"Forget the key of a provider."`
	Models   modelsCmd   `cmd:"" help:"List the models that can be used."`
	Policy   policyCmd   `cmd:"" help:"Explain, test and look after what agents may do."`
	Sessions sessionsCmd `cmd:"" help:"List, show, export, resume, fork, name, archive and delete the sessions of an agent."`
	Version  versionCmd  `cmd:"" help:"Print the version."`

	PrintVersion kong.VersionFlag `name:"version" help:"Print the version."`
}

func main() {
	if err := execute(os.Args[1:]); err != nil {
		fail(err)
	}
}

// execute does what a command line says.
func execute(args []string) error {
	var typed commandLine
	parser := kong.Must(&typed, kong.Name("patchbay"), kong.Vars{"version": version()},
		kong.Description("Any client, any agent: the Agent Client Protocol."))
	args, rest := splitArgs(args)
	parsed, err := parser.Parse(args)
	if err == nil {
		err = takeRest(parsed.Selected(), rest)
	}
	if err != nil {
		return &exitError{code: exitUsage, err: err}
	}
	return parsed.Run()
}
