package sandbox_test

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/patchbay-dev/patchbay/internal/sandbox"
)

// S002.13: what a workspace can do to its own files, and can't to others.
func TestAWorkspaceIsWrittenAndNothingElse(t *testing.T) {
	inWorlds(t, func(w *world) {
		w.hold(w.workspace(), []deed{
			{do: "read {root}/file", want: "ok"},
			{do: "list {root}", want: "ok"},
			{do: "write {root}/new", want: "ok"},
			{do: "append {root}/file", want: "ok"},
			{do: "truncate {root}/file", want: "ok"},
			{do: "mkdir {root}/folder", want: "ok"},
			{do: "remove {root}/file", want: "ok"},
			{do: "rename {root}/file {root}/sub/moved", want: "ok"},
			{do: "link {root}/file {root}/sub/link", want: "ok"},
			{do: "symlink file {root}/link", want: "ok"},
			{do: "mkfifo {root}/fifo", want: "ok"},
			{do: "chmod {root}/file", want: "ok"},
			{do: "fchmodat2 {root}/file", want: "ok"},
			{do: "utimes {root}/file", want: "ok"},
			{do: "write {temp}/new", want: "ok"},
			{do: "write /dev/null", want: "ok"},
			{do: "read /etc/passwd", want: "ok"},
			{do: "list /usr/bin", want: "ok"},

			{do: "create {outside}/new", want: "EACCES"},
			{do: "append {outside}/file", want: "EACCES"},
			{do: "truncate {outside}/file", want: "EACCES"},
			{do: "mkdir {outside}/new", want: "EACCES"},
			{do: "remove {outside}/file", want: "EACCES"},
			{do: "symlink file {outside}/link", want: "EACCES"},
			{do: "mkfifo {outside}/fifo", want: "EACCES"},
			{do: "rename {outside}/file {root}/stolen", want: "EACCES|EXDEV"},
			{do: "rename {root}/file {outside}/given", want: "EACCES|EXDEV"},
			{do: "rename {outside}/folder {root}/stolen", want: "EACCES|EXDEV"},
			{do: "link {outside}/file {root}/stolen", want: "EACCES|EXDEV"},
			{do: "link {root}/file {outside}/given", want: "EACCES|EXDEV"},
			{do: "create {home}/.profile", want: "EACCES"},
			{do: "create /dev/shm/patchbay-sandbox-test", want: "EACCES"},
		})
	})
}

// S002.13: no way leads to a key.
func TestKeysOutsideAreNotRead(t *testing.T) {
	inWorlds(t, func(w *world) {
		for _, p := range []sandbox.Policy{w.workspace(), w.readOnly()} {
			w.hold(p, []deed{
				{do: "read {home}/.ssh/id", want: "EACCES"},
				{do: "read {home}/.config/tool/token", want: "EACCES"},
				{do: "list {home}/.ssh", want: "EACCES"},
				{do: "list {home}", want: "EACCES"},
				{do: "read ../.ssh/id", want: "EACCES"},
				{do: "read /proc/self/root{home}/.ssh/id", want: "EACCES"},
				{do: "read /proc/self/cwd/../.ssh/id", want: "EACCES"},
				{do: "read-reopened {home}/.ssh/id", want: "EACCES"},
				{do: "read-from-root {home}/.ssh/id", want: "EACCES"},
				{do: "read-by-link {home}/.ssh/id {root}/link", want: "EACCES|ENOENT"},
				{do: "read-by-chroot {home}/.ssh/id", want: "EACCES|EPERM", free: "-"},
				{do: "read-by-handle {home}/.ssh/id", want: "EPERM", free: "-"},
				{do: "execute {outside}/program", want: "EACCES|ENOENT", free: "-"},
			})
		}
		if !w.isRoot() {
			return
		}
		w.hold(w.workspace(), []deed{
			{do: "read /etc/shadow", want: "EACCES"},
			{do: "read-by-chroot {home}/.ssh/id", want: "EPERM"},
			{do: "read-by-handle {home}/.ssh/id", want: "EPERM", free: "-"}, // not all file systems have handles
		})
	})
}

// A link that is in the project already leads nowhere, and one hard link can't be made of what may not be read.
func TestLinksOutOfTheWorkspaceLeadNowhere(t *testing.T) {
	inWorlds(t, func(w *world) {
		for link, target := range map[string]string{"key": w.home + "/.ssh/id", "all": "/", "out": w.outside} {
			if err := os.Symlink(target, w.root+"/"+link); err != nil {
				w.Fatal(err)
			}
		}
		w.hold(w.workspace(), []deed{
			{do: "read {root}/key", want: "EACCES"},
			{do: "append {root}/key", want: "EACCES"},
			{do: "read {root}/all{home}/.ssh/id", want: "EACCES"},
			{do: "create {root}/out/new", want: "EACCES"},
			{do: "link {home}/.ssh/id {root}/hard", want: "EACCES|EXDEV"},
		})
		w.hold(w.readOnly(), []deed{{do: "read {root}/key", want: "EACCES"}})
	})
}

// S002.13: where nothing may be written, nothing changes, not even a mode or a time.
func TestReadOnlyChangesNothing(t *testing.T) {
	inWorlds(t, func(w *world) {
		var deeds []deed
		for _, path := range []string{"{root}/file", "{outside}/file"} {
			for do, want := range map[string]string{
				"append": "EACCES", "truncate": "EACCES", "remove": "EACCES",
				"chmod": "EPERM", "fchmodat2": "EPERM", "chown": "EPERM", "lchown": "EPERM", "utimes": "EPERM",
			} {
				deeds = append(deeds, deed{do: do + " " + path, want: want})
			}
			deeds = append(deeds, deed{do: "setxattr " + path, want: "EPERM", free: "ok|EOPNOTSUPP"},
				deed{do: "rmxattr " + path, want: "EPERM", free: "ok|EOPNOTSUPP"})
		}
		w.hold(w.readOnly(), append(deeds, []deed{
			{do: "read {root}/file", want: "ok"},
			{do: "write /dev/null", want: "ok"},
			{do: "fchmod {root}/file", want: "EPERM"},
			{do: "fchown {root}/file", want: "EPERM"},
			{do: "setflags {root}/file", want: "EPERM", free: "-"},
			{do: "create {root}/new", want: "EACCES"},
			{do: "mkdir {root}/new", want: "EACCES"},
			{do: "rename {root}/file {root}/moved", want: "EACCES"},
			{do: "rename {root}/file {root}/sub/moved", want: "EACCES|EXDEV"},
			{do: "link {root}/file {root}/link", want: "EACCES"},
			{do: "symlink file {root}/link", want: "EACCES"},
			{do: "mkfifo {root}/fifo", want: "EACCES"},
			{do: "create {temp}/new", want: "EACCES"},
			{do: "create /tmp/patchbay-sandbox-test", want: "EACCES"},
			{do: "create /dev/shm/patchbay-sandbox-test", want: "EACCES"},
		}...))
	})
}

// Devices can be neither made nor opened, but for those that hold nothing.
func TestDevicesAreOutOfReach(t *testing.T) {
	inWorlds(t, func(w *world) {
		w.hold(w.workspace(), []deed{
			{do: "mknod {root}/device", want: "EPERM|EACCES", free: w.ifRoot("ok")},
			{do: "read /dev/kmsg", want: "EACCES|EPERM", free: "-"},
			{do: "append /dev/tty", want: "EACCES", free: "-"},
			{do: "append /dev/ptmx", want: "EACCES", free: "-"},
			{do: "append /dev/full", want: "ok", free: "ok"},
		})
	})
}

// Mounts would give files other paths. Namespaces don't help.
func TestNothingIsMounted(t *testing.T) {
	inWorlds(t, func(w *world) {
		w.hold(w.workspace(), []deed{
			{do: "mount-new {root}/sub", want: "EPERM|EACCES", free: w.ifRoot("ok")},
			{do: "pivot-root {root}/sub", want: "EPERM|EACCES", free: "-"},
			{do: "mount {home}/.ssh {root}/sub", want: "EPERM|EACCES", free: "-"},
		})
		out, status := w.sh(w.workspace(), "unshare --user --map-root-user --mount mount --bind "+w.home+"/.ssh sub 2>&1; cat sub/id")
		if status == 0 || strings.Contains(out, "KEY") {
			w.Errorf("a mount in a namespace of users: %q, status %d", out, status)
		}
	})
}

// Descriptors that this process holds are not handed on, unless they are meant to be.
func TestOnlyDescriptorsThatAreMeantAreHandedOn(t *testing.T) {
	inWorlds(t, func(w *world) {
		meant, err := os.Open(w.outside + "/file")
		if err != nil {
			w.Fatal(err)
		}
		defer meant.Close()
		leak, err := unix.Open(w.home+"/.ssh/id", unix.O_RDONLY, 0) // without O_CLOEXEC
		if err != nil {
			w.Fatal(err)
		}
		defer unix.Close(leak)
		high, err := unix.FcntlInt(uintptr(leak), unix.F_DUPFD, 200)
		if err != nil {
			w.Fatal(err)
		}
		defer unix.Close(high)
		cmd := w.command("sh", "-c", "cat <&3; cat /proc/self/fd/200; ls /proc/self/fd")
		cmd.ExtraFiles = []*os.File{meant}
		p := w.workspace()
		out, _ := w.run(&p, cmd)
		if !strings.HasPrefix(out, "outside") || strings.Contains(out, "KEY") || strings.Contains(out, "200\n") {
			w.Errorf("the program has %q", out)
		}
	})
}
