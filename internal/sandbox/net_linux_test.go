package sandbox_test

import (
	"fmt"
	"net"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// servers starts one of each kind outside of the sandbox, and returns what to dial.
func (w *world) servers() (dials []string) {
	w.Helper()
	for _, l := range [][2]string{{"tcp4", "127.0.0.1:0"}, {"tcp6", "[::1]:0"}, {"unix", w.dir + "/stream"}, {"unix", "@patchbay-sandbox-test-" + w.temp}} {
		listener, err := net.Listen(l[0], l[1])
		if err != nil {
			w.Logf("no %s: %v", l[0], err)
			continue
		}
		w.Cleanup(func() { _ = listener.Close() })
		dials = append(dials, "dial "+l[0]+" "+listener.Addr().String())
	}
	for _, l := range [][2]string{{"udp4", "127.0.0.1:0"}, {"udp6", "[::1]:0"}, {"unixgram", w.dir + "/datagram"}} {
		conn, err := net.ListenPacket(l[0], l[1])
		if err != nil {
			w.Logf("no %s: %v", l[0], err)
			continue
		}
		w.Cleanup(func() { _ = conn.Close() })
		dials = append(dials, "dial "+l[0]+" "+conn.LocalAddr().String())
	}
	for _, path := range []string{"/stream", "/datagram"} {
		_ = os.Chmod(w.dir+path, 0o777)
	}
	return dials
}

func socket(family, kind int) string { return fmt.Sprintf("socket %d %d", family, kind) }

// S002.13: no kind of socket reaches anyone.
func TestNobodyIsReachedWithoutNetwork(t *testing.T) {
	inWorlds(t, func(w *world) {
		var deeds []deed
		for _, dial := range w.servers() {
			deeds = append(deeds, deed{do: dial, want: "EACCES"})
		}
		deeds = append(deeds, []deed{
			{do: "listen tcp 127.0.0.1:0", want: "EACCES"},
			{do: "listen unix {root}/socket", want: "EACCES"},
			{do: socket(unix.AF_INET, unix.SOCK_STREAM), want: "EACCES"},
			{do: socket(unix.AF_INET, unix.SOCK_DGRAM), want: "EACCES"},
			{do: "socket-high", want: "EACCES"},
			{do: socket(unix.AF_NETLINK, unix.SOCK_RAW), want: "EACCES"},
			{do: "raw", want: "EACCES", free: w.ifRoot("ok")},
			{do: socket(unix.AF_PACKET, unix.SOCK_RAW), want: "EACCES", free: w.ifRoot("ok")},
			{do: socket(unix.AF_VSOCK, unix.SOCK_STREAM), want: "EACCES", free: "-"},
			{do: socket(unix.AF_ALG, unix.SOCK_SEQPACKET), want: "EACCES", free: "-"},
			{do: fmt.Sprintf("pair %d", unix.SOCK_STREAM), want: "ok"},
			{do: fmt.Sprintf("pair %d", unix.SOCK_DGRAM), want: "EACCES"},
			{do: fmt.Sprintf("pair %d", unix.SOCK_RAW), want: "EACCES"},
			{do: "ring", want: "ENOSYS", free: "EFAULT|EPERM"},
			{do: "shared-memory", want: "EACCES"},
		}...)
		w.hold(w.workspace(), deeds)
		w.hold(w.readOnly(), deeds)
	})
}

// Unix sockets are another matter than the Internet: those of a container engine or a message bus lead out of the sandbox.
func TestNetworkIsTheInternetOnly(t *testing.T) {
	inWorlds(t, func(w *world) {
		p := w.workspace()
		p.Network = true
		var deeds []deed
		for _, dial := range w.servers() {
			want := "ok"
			if dial[:9] == "dial unix" {
				want = "EACCES"
			}
			deeds = append(deeds, deed{do: dial, want: want})
		}
		w.hold(p, append(deeds, []deed{
			{do: "listen tcp 127.0.0.1:0", want: "ok"},
			{do: socket(unix.AF_NETLINK, unix.SOCK_RAW), want: "ok"}, // NETLINK_ROUTE
			{do: "raw", want: "EPERM", free: w.ifRoot("ok")},
			{do: socket(unix.AF_PACKET, unix.SOCK_RAW), want: "EACCES", free: w.ifRoot("ok")},
			{do: fmt.Sprintf("pair %d", unix.SOCK_DGRAM), want: "EACCES"},
			{do: "ring", want: "ENOSYS", free: "EFAULT|EPERM"},
		}...))
	})
}

// Landlock is a second wall for TCP: a socket that was made outside can't be connected inside.
func TestAHandedOnSocketIsNotConnected(t *testing.T) {
	inWorlds(t, func(w *world) {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			w.Fatal(err)
		}
		f := os.NewFile(uintptr(fd), "socket")
		defer f.Close()
		p := w.workspace()
		if got, _ := w.run(&p, w.acting([]*os.File{f}, "connect4 3")); got != "EACCES" {
			w.Errorf("connecting it: %s", got)
		}
		if got, _ := w.run(nil, w.acting([]*os.File{f}, "connect4 3")); got != "ECONNREFUSED" {
			w.Errorf("connecting it without a sandbox: %s", got)
		}
	})
}
