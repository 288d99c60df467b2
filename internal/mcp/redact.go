package mcp

import (
	"encoding/base64"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/acp"
)

// minSecret is the length in bytes from which on a value counts as a secret: a shorter one, such as "true" or "8080", would
// be found everywhere.
const minSecret = 8

// How long a reason may be, in lines, and in bytes of each.
const (
	maxReasonLines = wordLines + 4
	maxReasonLine  = 400
)

// mask is what is shown in the place of a secret.
const mask = "[redacted]"

// A redactor takes the credentials of all servers of a set out of whatever leaves this package (S001.21, F174): results,
// errors, states, descriptions, log lines. It knows the values that came with the configuration, and looks for them as they
// are and in the forms in which they are likely to come back: in JSON, in a URL, in base64.
type redactor struct{ replacer *strings.Replacer }

func newRedactor(servers []acp.MCPServer) *redactor {
	var found secrets
	for _, s := range servers {
		switch s := s.(type) {
		case *acp.MCPServerStdio:
			found.addEnv(s.Env)
			found.addArgs(s.Args)
		case *acp.MCPServerHTTP:
			found.addRemote(s.URL, s.Headers)
		case *acp.MCPServerSSE:
			found.addRemote(s.URL, s.Headers)
		}
	}
	return &redactor{found.replacer()}
}

// text returns a text without secrets.
func (r *redactor) text(s string) string { return r.replacer.Replace(s) }

// reason returns why something failed, for people: without secrets and what would confuse a terminal, its lines and all of it
// bounded.
func (r *redactor) reason(s string) string {
	lines := strings.Split(r.text(printable(s)), "\n")
	lines = lines[:min(len(lines), maxReasonLines)]
	for i, line := range lines {
		lines[i] = cut(line, maxReasonLine)
	}
	return strings.Join(lines, "\n")
}

// raw returns JSON without secrets. It is JSON still, since both a secret and the mask are within a string.
func (r *redactor) raw(v acp.Raw) acp.Raw { return acp.Raw(r.text(string(v))) }

// secrets are the values to look for.
type secrets []string

// add takes a value, and the parts of one that has lines: whatever reports it may show only one of them.
func (s *secrets) add(value string) {
	value = strings.TrimSpace(value)
	*s = append(*s, value)
	if lines := strings.Split(value, "\n"); len(lines) > 1 {
		for _, line := range lines {
			*s = append(*s, strings.TrimSpace(line))
		}
	}
}

func (s *secrets) addEnv(env []acp.EnvVariable) {
	for _, v := range env {
		s.addURL(v.Value)
		if soundsSecret(v.Name) || !isHarmless(v.Value) {
			s.add(v.Value)
		}
		if scheme, _, _ := strings.Cut(strings.TrimSpace(v.Value), " "); isScheme(scheme) { // a header, for --header "Authorization:${NAME}"
			s.addHeader(v.Name, v.Value)
		}
	}
}

// isScheme reports whether a word is what a header begins with that has credentials.
func isScheme(word string) bool {
	return slices.Contains([]string{"apikey", "basic", "bearer", "token"}, strings.ToLower(word))
}

// addArgs takes what follows a flag such as --api-key, what is set by --api-key=value or API_KEY=value, and headers.
func (s *secrets) addArgs(args []string) {
	for i, arg := range args {
		s.addURL(arg)
		name, value, set := strings.Cut(arg, "=")
		switch {
		case !soundsSecret(name):
		case set:
			s.add(value)
		case strings.HasPrefix(arg, "-") && i+1 < len(args):
			s.add(args[i+1])
		}
		if name, value, ok := strings.Cut(arg, ":"); ok && soundsSecret(name) && !strings.ContainsAny(name, ` /\.`) { // --header "X-API-Key: x"
			s.addHeader(name, value)
		}
	}
}

func (s *secrets) addRemote(address string, headers []acp.HTTPHeader) {
	s.addURL(address)
	for _, h := range headers {
		s.addHeader(h.Name, h.Value)
	}
}

// plainHeaders have values that are no secrets, and that may well be spoken of.
var plainHeaders = []string{"accept", "accept-encoding", "accept-language", "cache-control", "content-type", "origin", "user-agent"}

// addHeader takes a header's value, the part after its scheme, as in "Bearer x", and what is inside of Basic's.
func (s *secrets) addHeader(name, value string) {
	if slices.Contains(plainHeaders, strings.ToLower(strings.TrimSpace(name))) {
		return
	}
	s.add(value)
	scheme, credentials, ok := strings.Cut(strings.TrimSpace(value), " ")
	if !ok {
		return
	}
	s.add(credentials)
	if !strings.EqualFold(scheme, "basic") {
		return
	}
	if pair, err := base64.StdEncoding.DecodeString(strings.TrimSpace(credentials)); err == nil {
		_, password, _ := strings.Cut(string(pair), ":")
		s.add(string(pair))
		s.add(password)
	}
}

// addURL takes the password in a URL and the values of its query. Both may be escaped in one way there and in another in
// what is reported.
func (s *secrets) addURL(address string) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return
	}
	if u.User != nil {
		s.add(u.User.String())
		if password, ok := u.User.Password(); ok {
			s.add(password)
			s.add(base64.StdEncoding.EncodeToString([]byte(u.User.Username() + ":" + password)))
		} else {
			s.add(u.User.Username()) // tokens are given this way
		}
	}
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		_, value, _ := strings.Cut(pair, "=")
		s.add(value)
		if plain, err := url.QueryUnescape(value); err == nil {
			s.add(plain)
		}
	}
}

// replacer makes what replaces the secrets in all their forms. Where several begin at the same place, the longest wins.
func (s secrets) replacer() *strings.Replacer {
	var forms []string
	for _, secret := range s {
		if len(secret) < minSecret {
			continue
		}
		quoted, _ := jsontext.AppendQuote(nil, secret)
		forms = append(forms, secret, url.QueryEscape(secret), url.PathEscape(secret), string(quoted[1:len(quoted)-1]))
		forms = append(forms, inBase64(secret)...)
	}
	slices.Sort(forms)
	forms = slices.Compact(forms)
	slices.SortStableFunc(forms, func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(forms))
	for _, form := range forms {
		pairs = append(pairs, form, mask)
	}
	return strings.NewReplacer(pairs...)
}

// inBase64 returns what a secret looks like somewhere in a text that is in base64, in both alphabets: there are three ways,
// since three bytes make four characters. Characters that its neighbours have a part in are left out.
func inBase64(secret string) []string {
	var forms []string
	for shift := range 3 {
		first := (8*shift + 5) / 6
		last := 8 * (shift + len(secret)) / 6
		for _, alphabet := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
			forms = append(forms, alphabet.EncodeToString(append(make([]byte, shift), secret...))[first:last])
		}
	}
	return forms
}

// soundsSecret reports whether a variable or a flag has the name of one that holds a secret.
func soundsSecret(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"key", "token", "secret", "pass", "pwd", "auth", "cred", "cookie", "session", "private", "dsn"},
		func(word string) bool { return strings.Contains(name, word) })
}

// isHarmless reports whether the value of a variable whose name says nothing is no secret for certain: a place that exists,
// or a word of everyday. Results would be of no use if all paths in them were masked.
func isHarmless(value string) bool {
	words := []string{"production", "development", "localhost", "disabled", "information", "warning", "verbose"}
	if slices.Contains(words, strings.ToLower(value)) || net.ParseIP(value) != nil {
		return true
	}
	for _, path := range filepath.SplitList(value) {
		if _, err := os.Stat(path); !filepath.IsAbs(path) || err != nil {
			return false
		}
	}
	return value != ""
}
