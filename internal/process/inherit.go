package process

import (
	"net/url"
	"runtime"
	"slices"
	"strings"
)

// inherited are the variables that every program gets, whoever it is: what it needs to find its way around. Keys of providers
// are not among them (F175).
var inherited = []string{
	"HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER",
	"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME",
	"SSL_CERT_DIR", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE",
	"NO_PROXY", "no_proxy",
	// Windows.
	"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROCESSOR_ARCHITECTURE", "PROGRAMDATA",
	"PROGRAMFILES", "PROGRAMFILES(X86)", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERDOMAIN", "USERNAME", "USERPROFILE", "WINDIR",
}

// proxies are handed on unless there is a password in them.
var proxies = []string{"ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "all_proxy", "http_proxy", "https_proxy"}

// Inherits reports whether every program gets a variable of this process.
func Inherits(name, value string) bool {
	if slices.Contains(proxies, name) {
		u, err := url.Parse(value)
		return err == nil && u.User == nil
	}
	return strings.HasPrefix(name, "LC_") || slices.ContainsFunc(inherited, func(known string) bool { return SameVariable(known, name) })
}

// SameVariable reports whether two names are those of one variable.
func SameVariable(a, b string) bool {
	return a == b || runtime.GOOS == "windows" && strings.EqualFold(a, b)
}
