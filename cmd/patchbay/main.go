// Command patchbay is the Agent Client Protocol on the command line. Its subcommands have a file each.
package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

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
	if len(args) == 0 {
		return showHelp(parser)
	}
	parsed, err := parser.Parse(args)
	if err == nil {
		err = takeRest(parsed.Selected(), rest)
	}
	if err != nil {
		return &exitError{code: exitUsage, err: fmt.Errorf("%w; see %s", err, helpFor(parser, args))}
	}
	return parsed.Run()
}

// showHelp shows somebody who has typed nothing what there is, which is still no success of a script.
func showHelp(parser *kong.Kong) error {
	parser.Stdout = os.Stderr
	context, err := kong.Trace(parser, nil)
	if err == nil {
		err = context.PrintUsage(false)
	}
	if err == nil {
		err = errors.New("a subcommand is missing")
	}
	return &exitError{code: exitUsage, err: err}
}

// helpFor is the command line that shows what could have been typed instead.
func helpFor(parser *kong.Kong, args []string) string {
	words := "patchbay"
	for node := parser.Model.Node; len(args) > 0; args = args[1:] {
		i := slices.IndexFunc(node.Children, func(n *kong.Node) bool { return n.Name == args[0] })
		if i < 0 {
			break
		}
		node = node.Children[i]
		words += " " + node.Name
	}
	return "`" + words + " --help`"
}
