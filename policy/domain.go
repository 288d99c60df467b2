package policy

import (
	"net/url"
	"strings"
)

// hostOf returns the host of a URL, in lower case, or "" if there is none to rely on.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Opaque != "" || !strings.EqualFold(u.Scheme, "http") && !strings.EqualFold(u.Scheme, "https") {
		return ""
	}
	return strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
}

// hostMatches reports whether a pattern such as domain:example.com or domain:*.example.com is about a host. Where it is
// wide, the hosts below one are meant with it.
func hostMatches(pattern, host string, wide bool) bool {
	name := strings.ToLower(strings.TrimPrefix(pattern, domainPrefix))
	if host == "" {
		return false
	}
	if parent, ok := strings.CutPrefix(name, "*."); ok {
		return strings.HasSuffix(host, "."+parent) || wide && host == parent
	}
	return host == name || wide && strings.HasSuffix(host, "."+name)
}
