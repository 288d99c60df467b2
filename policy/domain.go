package policy

import (
	"net/url"
	"strings"
	"unicode/utf8"
)

// hostOf returns the host of a URL as plainHost has it, or "" if there is none to rely on. A name with letters beyond ASCII has
// many spellings, such as with letters of full width, or with "。" for a dot: only what it is looked up as can be compared.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Opaque != "" || !strings.EqualFold(u.Scheme, "http") && !strings.EqualFold(u.Scheme, "https") {
		return ""
	}
	if !isASCII(u.Hostname()) {
		return ""
	}
	return plainHost(u.Hostname())
}

// plainHost is the name of a host in lower case, without the dot that may end it.
func plainHost(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}

// hostMatches reports whether a pattern such as domain:example.com or domain:*.example.com is about a host. Where it is
// wide, the hosts below one are meant with it, and the one without "www.", from which the other is come by.
func hostMatches(pattern, host string, wide bool) bool {
	name := strings.TrimPrefix(pattern, domainPrefix)
	if host == "" {
		return false
	}
	if parent, ok := strings.CutPrefix(name, "*."); ok {
		parent = plainHost(parent)
		return strings.HasSuffix(host, "."+parent) || wide && host == parent
	}
	if name = plainHost(name); wide {
		name = strings.TrimPrefix(name, "www.")
	}
	return host == name || wide && strings.HasSuffix(host, "."+name)
}
