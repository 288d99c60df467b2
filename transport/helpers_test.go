//go:build unix

package transport_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// helpers are the programs that tests start, by the value of helperVariable.
var helpers = map[string]func(){
	// A good peer: answers each line with itself and ends with its input. Its last word is more than a pipe holds.
	"echo": func() {
		_, _ = io.Copy(os.Stdout, os.Stdin)
		if _, err := os.Stdout.Write(bytes.Repeat([]byte("bye\n"), 50_000)); err != nil {
			os.Exit(1)
		}
	},
	"noise": func() {
		fmt.Print("Welcome!\n\x1b[1mready\x1b[0m\n", `{"level":"info","id":1}`, "\r\n", `{"half":`)
		in := bufio.NewReader(os.Stdin)
		_, _ = in.ReadString('\n')
		fmt.Print("1}\n", `{"cut":`)
	},
	"flood": func() {
		line := strings.Repeat("e", 99) + "\n"
		for i := range 50_000 {
			fmt.Fprint(os.Stderr, line[len(fmt.Sprint(i)):])
		}
		fmt.Println(`"done"`)
		_, _ = io.Copy(io.Discard, os.Stdin)
	},
	"crash": func() {
		fmt.Println("1")
		fmt.Println("2")
		fmt.Fprintln(os.Stderr, "about to\r\n\x1b[31mcrash\x1b[0m")
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		block()
	},
	"fail": func() {
		fmt.Println("1")
		fmt.Fprintln(os.Stderr, "no key")
		os.Exit(3)
	},
	"succeed": func() { fmt.Println("1") },
	// Heeds neither the end of its input nor SIGTERM.
	"stubborn": func() {
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP)
		fmt.Println(os.Getpid())
		block()
	},
	"heeds SIGTERM": func() {
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGTERM)
		fmt.Println(os.Getpid())
		<-c
		fmt.Fprintln(os.Stderr, "got SIGTERM")
	},
	// Like npx: passes everything to a child but signals.
	"wrapper": func() {
		signal.Ignore(syscall.SIGTERM)
		child := self("heeds SIGTERM")
		child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
		_ = child.Run()
	},
	// Leaves a stubborn child that holds its output, and ends with the next line.
	"parent": func() { haveChild(self("stubborn")) },
	// The same, but the child has left the process group.
	"parent of a daemon": func() {
		child := self("stubborn")
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		haveChild(child)
	},
	// The same, but the child has left its environment behind too.
	"parent of a lost daemon": func() {
		child := self("stubborn")
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		child.Env = []string{helperVariable + "=stubborn"}
		haveChild(child)
	},
	"closes its output": func() {
		fmt.Println("1")
		os.Stdout.Close()
		block()
	},
	"closes its input": func() {
		os.Stdin.Close()
		fmt.Println("1")
		block()
	},
	"environment": func() { fmt.Printf("%q\n", os.Environ()) },
	"arguments": func() {
		dir, _ := os.Getwd()
		fmt.Printf("%q %q\n", os.Args[1:], dir)
	},
	// Is a client of an agent that leaves a daemon, and does not end it.
	"client": func() {
		p, err := transport.Start(background, transport.Command{Path: os.Args[0], Env: helperEnv("parent of a daemon")})
		if err != nil {
			panic(err)
		}
		frames, _ := p.Read(limit)
		fmt.Println(show(frames[0]))
		_, _ = io.Copy(io.Discard, os.Stdin)
	},
	"stdio": stdioAgent,
}

// self is the test binary as a helper.
func self(helper string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = helperEnv(helper)
	return cmd
}

// helperEnv is the environment of a helper. The race detector would make it linger for a second at its end.
func helperEnv(helper string) []string {
	return append(os.Environ(), helperVariable+"="+helper, "GORACE=atexit_sleep_ms=0")
}

func haveChild(child *exec.Cmd) {
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	if err := child.Start(); err != nil {
		panic(err)
	}
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
}

// block never returns, and is no deadlock to the runtime.
func block() {
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	defer w.Close()
	_, _ = r.Read(make([]byte, 1))
}

// stdioAgent is an agent that prints a lot where it should not, reads what is not for it, and echoes what it gets.
func stdioAgent() {
	s, err := transport.Stdio()
	if err != nil {
		panic(err)
	}
	if _, err := transport.Stdio(); err != transport.ErrStdioTaken {
		panic(err)
	}
	fmt.Println("printed by the agent")
	_, _ = syscall.Write(1, []byte("written to descriptor 1\n"))
	child := exec.Command("sh", "-c", "echo printed by a child; cat")
	child.Stdin, child.Stdout = os.Stdin, os.Stdout
	if err := child.Run(); err != nil {
		panic(err)
	}
	if n, err := os.Stdin.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		panic("standard input is not empty")
	}
	if os.Getenv("TRANSPORT_TEST_CLOSE") != "" {
		closeWhileReading(s)
		return
	}
	for {
		frames, err := s.Read(limit)
		if err != nil {
			break
		}
		for _, f := range frames {
			if err := s.Write([][]byte{f.Data}); err != nil {
				panic(err)
			}
		}
	}
	if err := s.Close(); err != nil {
		panic(err)
	}
}

// closeWhileReading closes a stream under a Read that waits.
func closeWhileReading(s jsonrpc.Stream) {
	ended := make(chan error)
	go func() {
		_, err := s.Read(limit)
		ended <- err
	}()
	if err := s.Write([][]byte{[]byte("1")}); err != nil {
		panic(err)
	}
	if err := s.Close(); err != nil {
		panic(err)
	}
	if err := <-ended; err != io.ErrClosedPipe {
		panic(err)
	}
	fmt.Println("closed")
}

// eventually polls until a condition holds, and fails the test if that takes more than ten seconds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	end := time.Now().Add(10 * time.Second)
	for !holds() {
		if time.Now().After(end) {
			t.Fatal("waited in vain until", what)
		}
		<-tick.C
	}
}

func contains(t testing.TB, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%q lacks %q", text, w)
		}
	}
}
