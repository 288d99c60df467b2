package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/patchbay-dev/patchbay/policy"
)

// Options say where to look. The zero value looks where a user expects it.
type Options struct {
	// Dir is the folder of the project: a session's, or the one that a command was started in. Default: this one.
	Dir string

	// Flags are what the command line says, by the setting's name: "model", "max_tokens". The flag of a setting has its name,
	// with - for _.
	Flags map[string]string

	// Env looks up a variable of the environment. Default os.Getenv. An empty variable counts as one that isn't set.
	Env func(name string) string

	// UserDir is the folder of the user's own files. Default: $XDG_CONFIG_HOME/patchbay if that is an absolute path, and
	// otherwise patchbay in os.UserConfigDir.
	UserDir string

	// Home is the user's home, above which no project is looked for. Default os.UserHomeDir.
	Home string
}

// A Config is how Patchbay is set up. It doesn't change, so it is safe for concurrent use; keys are read when they are asked
// for.
type Config struct {
	Agent        Value[string] // the agent that is driven if none is named; "" for the built-in one
	Model        Value[string] // "provider/name", "provider", "offline"; "" if nobody has chosen
	Thinking     Value[string] // one of Thinking; "default" if nobody has chosen
	MaxTokens    Value[int]    // of an answer; 0 is the model's own limit
	Mode         Value[string] // the mode that a session begins in: one of Modes, by its first name
	AutoApprove  Value[bool]   // what a place says of it; Permissions is what counts
	Instructions Value[bool]   // read AGENTS.md and CLAUDE.md; true if nobody says otherwise
	Sessions     Value[bool]   // keep sessions for other processes; true if nobody says otherwise
	KeepSessions Value[string] // how long one is kept that is not used, see KeepFor; "" if for ever
	TrustedURLs  Value[[]string]

	// Permissions are what passes without a question, and the rules that say more. Nobody's answer within PermissionTimeout
	// is a rejection; 0 is no limit.
	Permissions       Value[policy.Mode]
	Allow, Ask, Deny  Value[[]policy.Rule]
	Origins           []Origin // of the rules
	PermissionTimeout Value[time.Duration]

	// Audit has the client keep a log of every decision in the state folder. That is the default, and then the client goes on where
	// the log can't be written.
	Audit Value[bool]

	KeepKeys Value[[]string] // variables with keys that commands get all the same

	Silence  Value[time.Duration] // of a provider, after which it counts as dead; 5 min if nobody says otherwise
	Attempts Value[int]           // at a request that fails before its answer has begun; 5 if nobody says otherwise

	// UserFile and ProjectFile are the paths of the files, whether they exist or not; "" where there is no place for one.
	UserFile, ProjectFile string

	keys *Keys
	env  func(string) string
	all  settings // of all places
	own  settings // without the project's
	file settings // the project's

	overrides map[string]Override // of providers; never changed, but replaced
}

// EnvPrefix begins the names of the variables for the settings that have no usual one: PATCHBAY_MODEL.
const EnvPrefix = "PATCHBAY_"

// fromOutside are the settings that a variable of the environment and a flag can set.
var fromOutside = []string{nameModel, nameThinking, nameMaxTokens, nameMode, nameInstructions, nameSessions}

// flagOnly are the settings that a flag can set, but no variable: an editor's workspace may come with variables, and what
// runs unasked, and what of theirs is removed, is the user's to say.
var flagOnly = []string{nameAutoApprove, nameKeepSessions}

// Load reads the files, the environment and the flags. What is wrong with a file is an error that names the place, one or
// several *Error.
func Load(o Options) (*Config, error) {
	c, dir, err := o.places()
	if err != nil {
		return nil, err
	}
	var user, project, env, flags settings
	var errs [4]error
	if c.UserFile != "" {
		user, errs[0] = readFile(c.UserFile, UserFile, c.UserFile)
	}
	c.ProjectFile = findProject(dir, o.Home)
	if sameFile(c.ProjectFile, c.UserFile) {
		c.ProjectFile = ""
	} else {
		project, errs[1] = readFile(c.ProjectFile, ProjectFile, c.UserFile)
	}
	env, errs[2] = c.fromEnv()
	flags, errs[3] = fromFlags(o.Flags)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	outside := flags.over(env)
	c.own, c.file = outside.over(user), project
	c.all = outside.over(project.over(user))
	c.fill()
	return c, nil
}

// places fills in the defaults and finds the user's folder.
func (o *Options) places() (c *Config, dir string, err error) {
	if o.Env == nil {
		o.Env = os.Getenv
	}
	if o.Home == "" {
		o.Home, _ = os.UserHomeDir() // without one, nothing is the user's home
	}
	if o.UserDir == "" {
		o.UserDir = UserDir(o.Env)
	}
	c = &Config{env: o.Env, keys: &Keys{}}
	if o.UserDir != "" {
		c.UserFile = filepath.Join(o.UserDir, FileName)
		c.keys = NewKeys(filepath.Join(o.UserDir, KeysName))
	}
	dir, err = filepath.Abs(o.Dir)
	return c, dir, err
}

func sameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// fromEnv reads the variables: PATCHBAY_MODEL and its like, and the usual ones for the addresses of providers.
func (c *Config) fromEnv() (settings, error) {
	found := settings{}
	var errs []error
	for _, name := range fromOutside {
		variable := EnvPrefix + strings.ToUpper(name)
		if word := c.env(variable); word != "" {
			errs = append(errs, found.parse(name, word, Source{Kind: Environment, Name: variable}))
		}
	}
	for _, p := range presets {
		if word := strings.TrimSpace(c.env(p.urlEnv)); p.urlEnv != "" && word != "" {
			errs = append(errs, found.address(p, word))
		}
	}
	return found, errors.Join(errs...)
}

// address notes where a provider is, as its usual variable says.
func (s settings) address(p preset, word string) error {
	from := Source{Kind: Environment, Name: p.urlEnv}
	parse := func(word string) (string, error) { return word, baseURL(word) }
	if p.parseURL != nil {
		parse = p.parseURL
	}
	address, err := parse(word)
	if err != nil {
		return &Error{from, err.Error()}
	}
	s[path{nameProviders, p.name, "base_url"}.key()] = Value[any]{address, from}
	return nil
}

func fromFlags(flags map[string]string) (settings, error) {
	found := settings{}
	var errs []error
	for name, word := range flags {
		from := Source{Kind: Flag, Name: "--" + strings.ReplaceAll(name, "_", "-")}
		if !slices.Contains(fromOutside, name) && !slices.Contains(flagOnly, name) {
			errs = append(errs, fmt.Errorf("there is no setting %q that a flag can set", name))
			continue
		}
		errs = append(errs, found.parse(name, word, from))
	}
	return found, errors.Join(errs...)
}

func (s settings) parse(name, word string, from Source) error {
	value, err := schema.fields[name].parse(word)
	if err != nil {
		return &Error{from, err.Error()}
	}
	s[name] = Value[any]{value, from}
	return nil
}

// fill copies the settings to where they are read, with their defaults.
func (c *Config) fill() {
	c.Agent = get[string](c.own, nameAgent)
	c.Model = get[string](c.all, nameModel)
	c.Thinking = get[string](c.all, nameThinking)
	if c.Thinking.Value == "" {
		c.Thinking.Value = Thinking[0]
	}
	tokens := get[int64](c.all, nameMaxTokens)
	c.MaxTokens = Value[int]{int(tokens.Value), tokens.From}
	c.Mode = modeOf(c.own, c.file)
	c.AutoApprove = get[bool](c.all, nameAutoApprove)
	c.Permissions = permissionsOf(c.own)
	c.Allow = rulesOf(nameAllow, c.own, nil)
	c.Ask = rulesOf(nameAsk, c.own, c.file)
	c.Deny = rulesOf(nameDeny, c.own, c.file)
	c.Origins = originsOf(c.own, c.file)
	c.PermissionTimeout = timeoutOf(c.own)
	c.Audit = get[bool](c.own, nameAudit)
	if c.Audit.From == (Source{}) {
		c.Audit.Value = true
	}
	c.Instructions = get[bool](c.all, nameInstructions)
	if c.Instructions.From == (Source{}) {
		c.Instructions.Value = true
	}
	c.Sessions = get[bool](c.all, nameSessions)
	if c.Sessions.From == (Source{}) {
		c.Sessions.Value = true
	}
	c.KeepSessions = get[string](c.all, nameKeepSessions)
	c.TrustedURLs = get[[]string](c.all, nameTrusted)
	c.KeepKeys = get[[]string](c.all, nameKeepKeys)
	c.fillPatience()
}

// Keys returns the file of the user's keys.
func (c *Config) Keys() *Keys { return c.keys }
