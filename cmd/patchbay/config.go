package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/internal/config"
)

// settings are the flags of all subcommands that speak with a model. docs/configuration.md says what they mean.
type settings struct {
	startSettings `embed:""`
	MaxTokens     string `placeholder:"N" help:"How long an answer may be, in tokens. 0 is the model's own limit."`
}

// startSettings are those with which others start the built-in agent.
type startSettings struct {
	Model        string `placeholder:"PROVIDER/NAME" help:"The language model, such as anthropic/claude-sonnet-5-5 or ollama/qwen3-coder; \"offline\" needs no network and no key."`
	Thinking     string `placeholder:"LEVEL" help:"How much the model reasons before it answers: default, off, low, medium or high."`
	Instructions *bool  `negatable:"" help:"Read AGENTS.md and CLAUDE.md of the project. That is the default."`
	Sessions     *bool  `negatable:"" help:"Keep sessions, so that they can be loaded later. That is the default."`
	KeepSessions string `placeholder:"SPAN" help:"How long a session is kept that is not used, such as 30d or 720h. Default: for ever."`
	Mode         string `placeholder:"MODE" help:"Which tools the agent has: full, read-only, safe, sandbox, plan, architect or ask."`
	AutoApprove  *bool  `negatable:"" help:"Let the agent write files and run commands without asking."`
}

// load reads the configuration for a folder, "" for this one.
func (s settings) load(dir string) (*config.Config, error) {
	return config.Load(config.Options{Dir: dir, Flags: s.flags()})
}

// flags are those that were given, by their settings' names.
func (s settings) flags() map[string]string {
	given := s.startSettings.flags()
	if s.MaxTokens != "" {
		given["max_tokens"] = s.MaxTokens
	}
	return given
}

func (s startSettings) flags() map[string]string {
	given := map[string]string{}
	for name, word := range map[string]string{
		"model": s.Model, "thinking": s.Thinking, "keep_sessions": s.KeepSessions, "mode": s.Mode,
	} {
		if word != "" {
			given[name] = word
		}
	}
	for name, choice := range map[string]*bool{"instructions": s.Instructions, "sessions": s.Sessions, "auto_approve": s.AutoApprove} {
		if choice != nil {
			given[name] = strconv.FormatBool(*choice)
		}
	}
	return given
}

// args are the flags as they were typed, for another process.
func (s startSettings) args() []string {
	var list []string
	for _, f := range []struct{ name, word string }{
		{"model", s.Model}, {"thinking", s.Thinking}, {"keep-sessions", s.KeepSessions}, {"mode", s.Mode},
	} {
		if f.word != "" {
			list = append(list, "--"+f.name+"="+f.word)
		}
	}
	for _, f := range []struct {
		name   string
		choice *bool
	}{{"instructions", s.Instructions}, {"sessions", s.Sessions}, {"auto-approve", s.AutoApprove}} {
		switch {
		case f.choice == nil:
		case *f.choice:
			list = append(list, "--"+f.name)
		default:
			list = append(list, "--no-"+f.name)
		}
	}
	return list
}

// configCmd is `patchbay config`: how everything is set up, and where each value comes from.
type configCmd struct {
	settings `embed:""`
	Cwd      string `placeholder:"DIR" help:"The project's folder. Default: this one."`
	Format   string `default:"text" enum:"text,json" help:"What to print: text or json."`
}

// Help is what `patchbay config --help` adds.
func (*configCmd) Help() string {
	return "A value comes from the first of these that has it: a flag, the environment, the project's patchbay.toml, the user's, the default. No key is ever shown. docs/configuration.md lists all settings."
}

// Run prints the configuration.
func (c *configCmd) Run() error {
	cfg, err := c.load(c.Cwd)
	if err != nil {
		return err
	}
	report := newConfigReport(cfg)
	if c.Format == "json" {
		return printJSON(os.Stdout, report)
	}
	return report.print(os.Stdout)
}

// A configReport is what `patchbay config --format json` prints.
type configReport struct {
	UserFile    string          `json:"userFile,omitempty"`
	ProjectFile string          `json:"projectFile,omitempty"`
	KeysFile    string          `json:"keysFile,omitempty"`
	Model       string          `json:"model,omitempty"` // that is used, chosen or not
	Note        string          `json:"note,omitempty"`
	Problem     string          `json:"problem,omitempty"`
	Settings    []configSetting `json:"settings"`
}

type configSetting struct {
	Name   string       `json:"name"`
	Value  any          `json:"value"`
	Source configSource `json:"source"`
}

type configSource struct {
	Kind   config.Kind `json:"kind"`
	Name   string      `json:"name,omitempty"` // of the variable or the flag
	File   string      `json:"file,omitempty"`
	Line   int         `json:"line,omitzero"`
	Column int         `json:"column,omitzero"`
	text   string
}

func newConfigReport(cfg *config.Config) *configReport {
	r := &configReport{UserFile: cfg.UserFile, ProjectFile: cfg.ProjectFile, KeysFile: cfg.Keys().Path()}
	if choice, err := cfg.Choose(); err == nil {
		r.Model, r.Note = choice.String(), choice.Note
	}
	if err := cfg.Problem(); err != nil {
		r.Problem = err.Error()
	}
	for _, e := range cfg.Entries() {
		from := configSource{e.From.Kind, e.From.Name, e.From.File, e.From.Line, e.From.Column, e.From.String()}
		if from.Kind == "" {
			from.Kind = config.Default
		}
		r.Settings = append(r.Settings, configSetting{e.Name, e.Value, from})
	}
	return r
}

func (r *configReport) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range []struct{ what, path string }{{"user file", r.UserFile}, {"project file", r.ProjectFile}, {"keys file", r.KeysFile}} {
		fmt.Fprintf(t, "%s\t%s\n", f.what, fileState(f.path))
	}
	fmt.Fprintf(t, "model in use\t%s\n\n", orNone(cleanLine(r.Model)))
	for _, s := range r.Settings {
		fmt.Fprintf(t, "%s\t%s\t%s\n", cleanLine(s.Name), orNone(cleanLine(settingText(s.Value))), cleanLine(s.Source.text))
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("print the configuration: %w", err)
	}
	for _, text := range []string{r.Note, r.Problem} {
		if text != "" {
			fmt.Fprintln(os.Stderr, clean(text))
		}
	}
	return nil
}

// fileState is the path of a file, with a word if it doesn't exist.
func fileState(path string) string {
	if path == "" {
		return "none"
	}
	if _, err := os.Stat(path); err != nil {
		return cleanLine(path) + " (does not exist)"
	}
	return cleanLine(path)
}

func settingText(value any) string {
	if list, ok := value.([]string); ok {
		return strings.Join(list, " ")
	}
	return fmt.Sprint(value)
}

func orNone(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// printJSON prints a value as indented JSON.
func printJSON(w io.Writer, value any) error {
	text, err := json.Marshal(value, jsontext.WithIndent("  "), json.FormatNilSliceAsNull(false))
	if err == nil {
		_, err = w.Write(append(harmlessJSON(text), '\n'))
	}
	if err != nil {
		return fmt.Errorf("print JSON: %w", err)
	}
	return nil
}
