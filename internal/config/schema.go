package config

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A shape is what a place in a file may hold.
type shape struct {
	kind kind

	// fields are the keys of a table. A table with each instead takes any name that it matches.
	fields map[string]*shape
	each   *shape
	names  func(string) error // of each; nil allows all

	// userOnly is set for what a project's file may not say.
	userOnly bool

	// check says what else is wrong with a value of the right kind. It may be nil.
	check func(value any) error
}

type kind string

const (
	table   kind = "a table"
	text    kind = "a string"
	whole   kind = "a whole number"
	number  kind = "a number"
	truth   kind = "true or false"
	strlist kind = "a list of strings"
)

// The names of the settings.
const (
	nameAgent        = "agent"
	nameModel        = "model"
	nameThinking     = "thinking"
	nameMaxTokens    = "max_tokens"
	nameMode         = "mode"
	namePermissions  = "permissions"
	nameAllow        = "allow"
	nameAsk          = "ask"
	nameDeny         = "deny"
	nameAutoApprove  = "auto_approve"
	nameAudit        = "audit"
	nameInstructions = "instructions"
	nameSessions     = "sessions"
	nameKeepSessions = "keep_sessions"
	nameTrusted      = "trusted_urls"
	nameKeepKeys     = "keep_keys"
	nameSilence      = "silence"
	nameAttempts     = "attempts"
	nameProviders    = "providers"

	namePermissionTimeout = "permission_timeout"
)

// Thinking are the levels of thinking; "default" leaves it to the provider.
var Thinking = []string{"default", "off", "low", "medium", "high"}

// APIs are the wire formats of providers.
var APIs = []string{"anthropic", "responses", "chat", "gemini"}

// schema is all that a file may say. docs/configuration.md describes it, and a test holds the two together.
var schema = &shape{kind: table, fields: map[string]*shape{
	nameAgent:        {kind: text, userOnly: true, check: agentName},
	nameModel:        {kind: text},
	nameThinking:     {kind: text, check: oneOf(Thinking)},
	nameMaxTokens:    {kind: whole, check: notNegative},
	nameMode:         {kind: text, check: oneOf(Modes)},
	namePermissions:  {kind: text, userOnly: true, check: oneOf(Permissions)},
	nameAllow:        {kind: strlist, userOnly: true, check: eachRule},
	nameAsk:          {kind: strlist, check: eachRule},
	nameDeny:         {kind: strlist, check: eachRule},
	nameAutoApprove:  {kind: truth, userOnly: true},
	nameAudit:        {kind: truth, userOnly: true},
	nameInstructions: {kind: truth},
	nameSessions:     {kind: truth},
	nameKeepSessions: {kind: text, userOnly: true, check: span},
	nameTrusted:      {kind: strlist, userOnly: true, check: eachURL},
	nameKeepKeys:     {kind: strlist, userOnly: true, check: eachVariable},
	nameSilence:      {kind: text, check: silence},
	nameAttempts:     {kind: whole, check: attempts},

	namePermissionTimeout: {kind: whole, userOnly: true, check: notNegative},

	nameProviders: {kind: table, names: providerName, each: &shape{kind: table, fields: map[string]*shape{
		"api":      {kind: text, check: oneOf(APIs)},
		"base_url": {kind: text, check: baseURL},
		"key_env":  {kind: text, userOnly: true, check: variable},
		"models":   {kind: table, each: modelShape},
	}}},
}}

var modelShape = &shape{kind: table, fields: map[string]*shape{
	"title":          {kind: text},
	"context_tokens": {kind: whole, check: notNegative},
	"max_tokens":     {kind: whole, check: notNegative},
	"max_tools":      {kind: whole, check: notNegative},
	"images":         {kind: truth},
	"audio":          {kind: truth},
	"pdf":            {kind: truth},
	"thinking":       {kind: truth},
	"price": {kind: table, fields: map[string]*shape{
		"input":       {kind: number, check: notNegative},
		"output":      {kind: number, check: notNegative},
		"cache_read":  {kind: number, check: notNegative},
		"cache_write": {kind: number, check: notNegative},
	}},
}}

// Offline is the name of the model that needs no provider. No provider can have it.
const Offline = "offline"

var providerNames = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

func providerName(name string) error {
	if name == Offline {
		return fmt.Errorf("%q is no provider's name: it is the model without one", name)
	}
	if !providerNames.MatchString(name) {
		return errors.New("a provider's name is made of small letters, digits, - and _")
	}
	return nil
}

var agentNames = regexp.MustCompile(`^[a-z0-9][a-z0-9_.-]{0,63}$`)

// agentName checks the form of an agent's name. Whether there is one of that name is for who starts it.
func agentName(value any) error {
	if !agentNames.MatchString(value.(string)) {
		return errors.New("an agent's name is made of small letters, digits, dots, - and _")
	}
	return nil
}

// AgentName reports what is wrong with a name for an agent, nil if nothing is.
func AgentName(name string) error { return agentName(name) }

func oneOf(words []string) func(any) error {
	return func(value any) error {
		if !slices.Contains(words, value.(string)) {
			return fmt.Errorf("%q is none of %s", value, strings.Join(words, ", "))
		}
		return nil
	}
}

func notNegative(value any) error {
	switch v := value.(type) {
	case int64:
		if v < 0 || v > math.MaxInt32 {
			return fmt.Errorf("%d is not between 0 and %d", v, math.MaxInt32)
		}
	case float64:
		if !(v >= 0) || math.IsInf(v, 0) {
			return fmt.Errorf("%v is less than nothing, or no number", v)
		}
	}
	return nil
}

var variables = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// variable checks the name of a variable. A value that is no name may be the key itself, so it is not repeated.
func variable(value any) error {
	if !variables.MatchString(value.(string)) {
		return errors.New("not the name of a variable; a key itself is stored by `patchbay login`")
	}
	return nil
}

func eachVariable(value any) error {
	for _, name := range value.([]any) {
		if err := variable(name); err != nil {
			return err
		}
	}
	return nil
}

// parse reads a value of the environment or of a flag.
func (s *shape) parse(word string) (value any, err error) {
	switch s.kind {
	case text:
		value = word
	case truth:
		if value, err = strconv.ParseBool(word); err != nil {
			return nil, fmt.Errorf("%q is not true or false", word)
		}
	case whole:
		if value, err = strconv.ParseInt(word, 10, 64); err != nil {
			return nil, fmt.Errorf("%q is no whole number", word)
		}
	default:
		return nil, fmt.Errorf("%s can't be given here", s.kind)
	}
	if s.check != nil {
		return value, s.check(value)
	}
	return value, nil
}
