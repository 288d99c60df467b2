package config

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// baseURL checks the address of a provider. Passwords and queries have no place in it: addresses are shown.
func baseURL(value any) error {
	_, err := parseURL(value.(string))
	return err
}

func eachURL(value any) error {
	for _, v := range value.([]any) {
		if err := baseURL(v); err != nil {
			return err
		}
	}
	return nil
}

func parseURL(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, errors.New("not a URL") // url.Error repeats it, password and all
	case u.User != nil:
		return nil, errors.New("a URL with a user or a password; keys are stored by `patchbay login`")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("%q is not a URL that begins with https:// or http://", address)
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, errors.New("a URL with a query or a fragment")
	}
	return u, nil
}

// onThisMachine reports whether an address that parseURL accepts can only be a program on this machine.
func onThisMachine(address string) bool {
	u, err := parseURL(address)
	if err != nil {
		return false
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// covers reports whether an address is a trusted one or below it.
func covers(trusted, address string) bool {
	t, err := parseURL(trusted)
	if err != nil {
		return false
	}
	a, err := parseURL(address)
	if err != nil || t.Scheme != a.Scheme || !strings.EqualFold(hostPort(t), hostPort(a)) {
		return false
	}
	above, below := strings.TrimSuffix(t.Path, "/")+"/", strings.TrimSuffix(a.Path, "/")+"/"
	return strings.HasPrefix(below, above) && !strings.Contains(below, "/../") && !strings.Contains(below, "/./")
}

func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// ollamaURL makes an address of what OLLAMA_HOST holds, which is as loose as Ollama reads it: "gpu", ":8080",
// "0.0.0.0:11434" (where a server listens, and so a client finds it at 127.0.0.1), "https://gpu.example.com/ollama".
func ollamaURL(host string) (string, error) {
	scheme, rest, said := strings.Cut(strings.TrimSpace(host), "://")
	usual := map[string]string{"http": "80", "https": "443"}[scheme]
	if !said {
		scheme, rest, usual = "http", scheme, "11434"
	}
	rest, path, _ := strings.Cut(rest, "/")
	name, port, err := net.SplitHostPort(rest)
	if err != nil {
		name = strings.Trim(rest, "[]")
	}
	if port == "" {
		port = usual
	}
	if ip, err := netip.ParseAddr(name); name == "" || err == nil && ip.IsUnspecified() {
		name = "127.0.0.1"
	}
	u := url.URL{Scheme: scheme, Host: net.JoinHostPort(name, port), Path: strings.TrimSuffix("/"+path, "/") + "/v1"}
	_, err = parseURL(u.String())
	return u.String(), err
}
