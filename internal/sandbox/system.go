package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// systemFolders hold programs, libraries, and what those ask the system about.
var systemFolders = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt",
	"/nix/store", "/gnu/store", "/run/current-system", "/snap", "/home/linuxbrew/.linuxbrew",
	"/proc",                                 // of other processes, only what is not about their memory, files and environment
	"/sys/devices/system", "/sys/fs/cgroup", // how many processors there are
	"/sys/kernel/mm/transparent_hugepage",     // asked by Go and Java
	"/run/systemd/resolve", "/run/resolvconf", // where /etc/resolv.conf leads to
	"/var/lib/ca-certificates", "/var/cache/fontconfig",
}

// devices are the only ones that programs get. /dev/tty is not among them: who can write to the user's terminal can ask for a
// password there.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// system returns what programs need to run.
var system = sync.OnceValue(func() []string {
	paths := slices.Clone(systemFolders)
	paths, _ = public(paths, "/etc", 0)
	return paths
})

// maxDepth is how deep /etc is looked through.
const maxDepth = 12

// public appends what everyone may read of a folder, in as few paths as possible: the folder itself if that is all of it.
// For root, and for those in the right groups, the rest is readable too, but it is there that the keys are.
func public(paths []string, dir string, depth int) (grown []string, all bool) {
	entries, err := os.ReadDir(dir)
	if err != nil || depth > maxDepth {
		return paths, false
	}
	before := len(paths)
	all = true
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		info, err := e.Info()
		switch {
		case err != nil || slices.Contains(secrets, path):
			all = false
		case info.Mode()&fs.ModeSymlink != 0: // where it leads to has to be allowed itself
		case info.IsDir() && info.Mode()&0o005 == 0o005:
			var whole bool
			paths, whole = public(paths, path, depth+1)
			all = all && whole
		case info.Mode().IsRegular() && info.Mode()&0o004 != 0:
			paths = append(paths, path)
		default:
			all = false
		}
	}
	if all {
		return append(paths[:before], dir), true
	}
	return paths, false
}

// secrets hold keys on many machines though everyone may read them.
var secrets = []string{
	"/etc/rancher", "/etc/kubernetes", "/etc/docker", "/etc/containers/auth.json", "/etc/letsencrypt", "/etc/wireguard",
	"/etc/openvpn", "/etc/NetworkManager", "/etc/krb5.keytab", "/etc/netrc", "/etc/fstab",
}
