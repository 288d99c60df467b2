package trace

import (
	"regexp"
	"strings"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// Redacted stands in the place of a credential.
const Redacted = "[redacted]"

// A scope says what is redacted within a value.
type scope int

const (
	nothing    scope = iota // only what members' names say
	values                  // the values of env and headers: of each member, or of each item's member "value"
	all                     // every string
	auth                    // the message authenticate: its params
	authParams              // those: every string but the method's id
	urls                    // text that may have credentials in it
	args                    // the same, and arguments that follow a flag
	servers                 // MCP servers: what members' names say, and addresses
	address                 // a server's URL: whoever it names and all of its query, which may be a token of any name
)

// appendRedacted appends a valid message without its credentials. Every other byte stays as it is.
func appendRedacted(dst, text []byte) []byte {
	in := nothing
	if method := rawjson.Get(text, "method"); rawjson.IsString(method) && rawjson.String(method) == "authenticate" {
		in = auth
	}
	r := redactor{text: text, out: dst}
	r.value(0, in)
	return append(r.out, text[r.copied:]...)
}

// A redactor walks over valid JSON and copies it.
type redactor struct {
	text   []byte
	out    []byte
	copied int // how much of text is in out
}

// value walks over the value at or after text[i] and returns the index past it.
func (r *redactor) value(i int, in scope) int {
	i = rawjson.SkipSpace(r.text, i)
	switch r.text[i] {
	case '{':
		return r.object(i, in)
	case '[':
		return r.array(i, in)
	}
	end := rawjson.SkipValid(r.text, i)
	if r.text[i] == '"' {
		r.str(i, end, in)
	}
	return end
}

func (r *redactor) object(i int, in scope) int {
	for i = rawjson.SkipSpace(r.text, i+1); r.text[i] != '}'; i = r.next(i) {
		end := rawjson.SkipValid(r.text, i)
		name := r.text[i:end]
		colon := rawjson.SkipSpace(r.text, end)
		i = r.value(colon+1, memberScope(name, in))
	}
	return i + 1
}

func (r *redactor) array(i int, in scope) int {
	item := in
	if in == values {
		item = all // such as "NAME=value"
	}
	for i = rawjson.SkipSpace(r.text, i+1); r.text[i] != ']'; i = r.next(i) {
		start := i
		if in == values && r.text[i] == '{' {
			i = r.pair(i)
			continue
		}
		i = r.value(i, item)
		if in == args {
			item = argumentScope(r.text[start:i])
		}
	}
	return i + 1
}

// pair walks over an item of a list of variables or headers.
func (r *redactor) pair(i int) int {
	for i = rawjson.SkipSpace(r.text, i+1); r.text[i] != '}'; i = r.next(i) {
		end := rawjson.SkipValid(r.text, i)
		in := nothing
		if rawjson.String(r.text[i:end]) != "name" {
			in = all
		}
		i = r.value(rawjson.SkipSpace(r.text, end)+1, in)
	}
	return i + 1
}

// next returns the index of the next member or element, or of the closing bracket.
func (r *redactor) next(i int) int {
	if i = rawjson.SkipSpace(r.text, i); r.text[i] == ',' {
		i = rawjson.SkipSpace(r.text, i+1)
	}
	return i
}

// str redacts the string literal text[i:end], if it has to be.
func (r *redactor) str(i, end int, in scope) {
	switch in {
	case all, values:
		r.replace(i, end, Redacted)
	case urls, args:
		before := rawjson.String(r.text[i:end])
		if after := string(redactText([]byte(before))); after != before {
			r.replace(i, end, after)
		}
	case address:
		before := rawjson.String(r.text[i:end])
		after := query.ReplaceAllString(userinfo.ReplaceAllString(before, "${1}"+Redacted+"@"), "${1}"+Redacted)
		if after = user.ReplaceAllString(after, "${1}"+Redacted+"@"); after != before {
			r.replace(i, end, after)
		}
	}
}

func (r *redactor) replace(i, end int, with string) {
	r.out = append(r.out, r.text[r.copied:i]...)
	r.out = rawjson.AppendString(r.out, with)
	r.copied = end
}

// memberScope says what is redacted in a member of an object.
func memberScope(literal []byte, in scope) scope {
	name := rawjson.String(literal)
	switch {
	case in == all || in == values:
		return all
	case in == auth && name == "params":
		return authParams
	case in == authParams && name == "methodId":
		return nothing
	case in == authParams || isCredential(name):
		return all
	}
	switch strings.ToLower(name) {
	case "mcpservers":
		return servers
	case "env", "headers":
		return values
	case "args", "command":
		return args
	case "url", "uri", "baseurl":
		if in == servers {
			return address
		}
		return urls
	}
	return nothing
}

// argumentScope says what is redacted in the argument after this one.
func argumentScope(literal []byte) scope {
	if flag := rawjson.String(literal); strings.HasPrefix(flag, "-") && isCredential(flag) {
		return all
	}
	return args
}

// credentials is how the names of credentials end, without - and _ and in lower case.
var credentials = []string{
	"token", "secret", "password", "passwd", "passphrase", "apikey", "accesskey", "privatekey", "secretkey",
	"credential", "credentials", "authorization", "cookie",
}

// separators may stand in the middle of a name.
var separators = strings.NewReplacer("-", "", "_", "", ".", "", " ", "")

// isCredential reports whether a member of this name is a credential. MCP's progressToken is none.
func isCredential(name string) bool {
	if len(name) > 100 {
		return false
	}
	name = strings.ToLower(separators.Replace(name))
	for _, c := range credentials {
		if strings.HasSuffix(name, c) {
			return name != "progresstoken"
		}
	}
	return false
}

var (
	scheme     = regexp.MustCompile(`(?i)\b(bearer|basic)(\s+)[^\s"'\\]+`)
	assignment = regexp.MustCompile(`(?i)((?:token|secret|passw(?:or)?d|passphrase|(?:api|access|private|secret)[-_]?key|credentials?|cookie)["']?\s*[=:]\s*)("[^"]*"|'[^']*'|[^\s&;,"']+)`)
	userinfo   = regexp.MustCompile(`(://[^/\s:@]*:)[^/\s@]+@`)
	user       = regexp.MustCompile(`(://)[^/\s:@]+@`)
	query      = regexp.MustCompile(`(\?)[^#]+`)
)

// redactText removes credentials from text that has no members, as far as they can be told.
func redactText(text []byte) []byte {
	text = scheme.ReplaceAll(text, []byte("${1}${2}"+Redacted))
	text = assignment.ReplaceAll(text, []byte("${1}"+Redacted))
	return userinfo.ReplaceAll(text, []byte("${1}"+Redacted+"@"))
}
