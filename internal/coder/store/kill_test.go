package store_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder/store"
)

func init() {
	children["append"] = appendForever
	children["hold"] = holdForever
}

// A process is this test binary once more, at work as one of children.
type process struct {
	*exec.Cmd
	in  io.WriteCloser // open as long as this process lives, or until Wait
	out *bufio.Reader
}

// spawn runs a process, which works with the store in a directory.
func spawn(t testing.TB, name, dir string, more ...string) *process {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childName+"="+name, childDir+"="+dir)
	child.Env = append(child.Env, more...)
	child.Stderr = os.Stderr
	pipe, err := child.StdoutPipe() // closed by Wait
	if err != nil {
		t.Fatal(err)
	}
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = child.Process.Kill() }) // it has mostly ended
	return &process{child, in, bufio.NewReader(pipe)}
}

// kills is how many processes TestKilledAtAnyMoment kills.
func kills() int {
	if os.Getenv("PATCHBAY_SOAK") != "" {
		return 200
	}
	return 25
}

// busySessions is how many sessions the process that is killed appends to, all at the same time.
const busySessions = 3

// A process that appends is killed at any moment: while it opens the store, between appends, within them. What it was told is
// durable is there, in order and nothing half; the file can be used; and the sessions are free at once, though nobody has
// waited for the dead process yet (F91).
func TestF91_KilledAtAnyMoment(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var dir string
	var told []int // how many appends of each session were reported
	for round := range kills() {
		if round%8 == 0 { // sessions get long
			dir, told = t.TempDir(), make([]int, busySessions)
		}
		var s *store.Store
		if round%2 == 0 { // in some rounds, someone who lives has seen all of it
			s = open(t, dir, store.Options{})
		}
		child := spawn(t, "append", dir)
		early := time.AfterFunc(time.Hour, func() { _ = child.Process.Kill() })
		if round%5 == 4 {
			early.Reset(time.Duration(rng.Int64N(int64(40 * time.Millisecond))))
		}
		for line := rng.IntN(200); line > 0; line-- {
			if !note(child.out, told) {
				break
			}
		}
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		early.Stop()
		for note(child.out, told) { // what it has said before it died
		}
		if s == nil {
			s = open(t, dir, store.Options{})
		}
		for i := range told {
			verify(t, s, i, told)
		}
		_ = child.Wait()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if round%8 == 7 && min(told[0], told[1], told[2]) < 8 {
			t.Errorf("the sessions were appended to only %d times", told)
		}
	}
}

// note reads a report: of which session the first so many appends are durable.
func note(out *bufio.Reader, told []int) bool {
	line, err := out.ReadString('\n')
	if err != nil {
		return false
	}
	var i, n int
	if _, err := fmt.Sscanf(line, "%d %d\n", &i, &n); err != nil {
		panic(fmt.Sprintf("reported: %q", line))
	}
	told[i] = n
	return true
}

func nameOf(i int) acp.SessionID { return acp.SessionID("busy" + strconv.Itoa(i)) }

// verify checks a session whose process was killed, takes it over and gives it back.
func verify(t *testing.T, s *store.Store, i int, told []int) {
	t.Helper()
	l, err := s.Acquire(t.Context(), nameOf(i))
	if err != nil {
		if told[i] > 0 {
			t.Fatalf("after the kill: %v", err)
		}
		return // it was not even made
	}
	loaded := load(t, s, nameOf(i))
	said, heard := sequence(t, loaded)
	if said < told[i] || heard != said {
		t.Fatalf("session %d: %d appends were durable, there are events of %d and messages of %d", i, told[i], said, heard)
	}
	told[i] = said
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// sequence returns how many appends left their events and their messages in a session. They have to be in order.
func sequence(t testing.TB, loaded *store.Loaded) (said, heard int) {
	t.Helper()
	for _, text := range texts(t, loaded) {
		for n := range strings.SplitSeq(strings.TrimSuffix(text, ";"), ";") {
			if n != strconv.Itoa(said) {
				t.Fatalf("append %d of %s has left %q", said, loaded.ID, n)
			}
			said++
		}
	}
	for _, m := range messages(t, loaded) {
		if m != strconv.Itoa(heard) {
			t.Fatalf("append %d of %s has left the message %q", heard, loaded.ID, m)
		}
		heard++
	}
	return said, heard
}

// texts returns the texts of a session's chunks.
func texts(t testing.TB, loaded *store.Loaded) (all []string) {
	t.Helper()
	for e, err := range loaded.Events(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		u, err := e.Update()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, u.(*acp.AgentMessageChunk).Content.(*acp.TextContent).Text)
	}
	return all
}

// appendForever appends to some sessions, and reports each append when it is durable. Something else is written beside it.
func appendForever(dir string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, dir, store.Options{})
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	for i := range busySessions {
		all.Go(func() {
			if err := appendTo(ctx, s, i); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		})
	}
	all.Go(func() {
		for i := 0; ; i++ {
			id := acp.SessionID(fmt.Sprintf("fork-%d-%d", os.Getpid(), i))
			if _, err := s.Fork(ctx, nameOf(0), store.Session{ID: id}, 1); err == nil {
				_ = s.Delete(ctx, id)
			}
			_, _ = s.Sweep(ctx, time.Hour)
		}
	})
	all.Wait()
	return s.Close()
}

func appendTo(ctx context.Context, s *store.Store, i int) error {
	l, err := s.Acquire(ctx, nameOf(i))
	if err != nil {
		l, err = s.Create(ctx, store.Session{ID: nameOf(i), CWD: "/work"})
	}
	if err != nil {
		return err
	}
	n, err := next(ctx, s, nameOf(i))
	if err != nil {
		return err
	}
	for ; ; n++ {
		e, err := store.UpdateEvent(&acp.AgentMessageChunk{Content: acp.Text(fmt.Sprint(n, ";")), MessageID: acp.MessageID(fmt.Sprint("m", n/100))})
		if err != nil {
			return err
		}
		c := store.Change{Events: []store.Event{e}, Messages: [][]byte{[]byte(strconv.Itoa(n))}, Documents: store.Documents{Usage: []byte("{}")}}
		if _, err := l.Append(ctx, c); err != nil {
			return err
		}
		if _, err := fmt.Printf("%d %d\n", i, n+1); err != nil {
			return err
		}
	}
}

// next returns the number of the first append that a session has not had.
func next(ctx context.Context, s *store.Store, id acp.SessionID) (n int, err error) {
	loaded, err := s.Load(ctx, id)
	if err != nil {
		return 0, err
	}
	for _, err := range loaded.Messages(ctx) {
		if err != nil {
			return 0, err
		}
		n++
	}
	return n, nil
}

// holdForever takes a session, and says so.
func holdForever(dir string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, dir, store.Options{})
	if err != nil {
		return err
	}
	if _, err := s.Acquire(ctx, "a"); err != nil {
		return err
	}
	fmt.Println("held")
	_, err = io.Copy(io.Discard, os.Stdin) // until it is killed, or the one that started it is
	return err
}

// A session in the hands of another process is named as that process's while it lives, and free when it is dead, though nobody
// has waited for it (F77, F91).
func TestF77_OnlyTheLivingOwn(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, store.Options{})
	if err := create(t, s, store.Session{ID: "a"}).Close(); err != nil {
		t.Fatal(err)
	}
	child := spawn(t, "hold", dir)
	if line, err := child.out.ReadString('\n'); err != nil || line != "held\n" {
		t.Fatal(line, err)
	}
	_, err := s.Acquire(t.Context(), "a")
	busy, ok := err.(*store.BusyError)
	if !ok || busy.Owner.PID != child.Process.Pid || busy.Owner.Self {
		t.Errorf("acquired: %v", err)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, child.out); err != nil { // it is dead when its output ends
		t.Fatal(err)
	}
	acquire(t, s, "a")
	_ = child.Wait()
}
