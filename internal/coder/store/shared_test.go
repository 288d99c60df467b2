package store_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder/store"
)

func init() {
	children["work"] = work
	children["make"] = makeOne
}

// pool are the sessions that the processes of TestThreeProcesses share.
const pool = 12

// operations is how much each process of TestThreeProcesses does.
func operations() int {
	if os.Getenv("PATCHBAY_SOAK") != "" {
		return 20_000
	}
	if raceEnabled { // which has SQLite take twenty times as long
		return 200
	}
	return 2000
}

// Three processes work on the same sessions, and on some of their own, all at once. Each finds what the others left, and at the
// end all is there that anyone was told is: by each process in its order.
func TestThreeProcessesShareAStore(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, store.Options{})
	for i := range pool {
		if err := create(t, s, store.Session{ID: poolName(i)}).Close(); err != nil {
			t.Fatal(err)
		}
	}
	var workers []*process
	for i := range 3 {
		workers = append(workers, spawn(t, "work", dir, "WORKER="+strconv.Itoa(i), "OPERATIONS="+strconv.Itoa(operations())))
	}
	done := make([]map[acp.SessionID]int, len(workers))
	for i, child := range workers {
		report, err := io.ReadAll(child.out)
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Wait(); err != nil {
			t.Fatalf("worker %d: %v", i, err)
		}
		if err := json.Unmarshal(report, &done[i]); err != nil {
			t.Fatalf("worker %d has reported %q: %v", i, report, err)
		}
	}
	total := 0
	for i := range pool {
		loaded := load(t, s, poolName(i))
		said := map[string]int{}
		for n := range strings.SplitSeq(strings.TrimSuffix(strings.Join(texts(t, loaded), ""), ";"), ";") {
			who, count, _ := strings.Cut(n, ":")
			if count != strconv.Itoa(said[who]) {
				t.Fatalf("%s: %q came after %d of its kind", loaded.ID, n, said[who])
			}
			said[who]++
			total++
		}
		for w := range done {
			if said[strconv.Itoa(w)] != done[w][loaded.ID] {
				t.Errorf("%s: worker %d has appended %d times, and %d are there", loaded.ID, w, done[w][loaded.ID], said[strconv.Itoa(w)])
			}
		}
	}
	if total < operations() {
		t.Errorf("there were only %d appends", total)
	}
}

func poolName(i int) acp.SessionID { return acp.SessionID("pool" + strconv.Itoa(i)) }

// A worker is one of the processes that share a store.
type worker struct {
	s    *store.Store
	name string
	mu   sync.Mutex
	done map[acp.SessionID]int // appends
}

func work(dir string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, dir, store.Options{Busy: time.Minute})
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(os.Getenv("OPERATIONS"))
	if err != nil {
		return err
	}
	w := &worker{s: s, name: os.Getenv("WORKER"), done: map[acp.SessionID]int{}}
	const hands = 4
	failed := make([]error, hands)
	var all sync.WaitGroup
	for hand := range hands {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(hand), uint64(len(w.name)+int(w.name[0]))))
			for i := 0; i < n/hands && failed[hand] == nil; i++ {
				failed[hand] = w.step(ctx, rng, fmt.Sprintf("own-%s-%d-%d", w.name, hand, i))
			}
		})
	}
	all.Wait()
	report, err := json.Marshal(w.done)
	if err != nil {
		return err
	}
	fmt.Println(string(report))
	return errors.Join(append(failed, s.Close())...)
}

// step does one thing that a session's life has. Own is the name of a new session.
func (w *worker) step(ctx context.Context, rng *rand.Rand, own string) error {
	id := poolName(rng.IntN(pool))
	switch rng.IntN(10) {
	case 0:
		_, err := w.s.List(ctx, store.Filter{Limit: 5, Archived: acp.SessionArchiveFilterInclude})
		return err
	case 1:
		loaded, err := w.s.Load(ctx, id)
		if err != nil {
			return err
		}
		return loaded.Check(ctx)
	case 2:
		_, err := w.s.SetTitle(ctx, id, own, rng.IntN(2) == 0)
		return err
	case 3:
		if err := w.s.Archive(ctx, id, rng.IntN(2) == 0); !errors.Is(err, store.ErrBusy) {
			return err
		}
		return nil // another one works with it just now
	case 4:
		if _, err := w.s.Fork(ctx, id, store.Session{ID: acp.SessionID(own), CWD: "/own"}, 0); err != nil {
			return err
		}
		return w.s.Delete(ctx, acp.SessionID(own))
	}
	return w.append(ctx, id, 1+rng.IntN(4))
}

// append appends to a session, unless someone else has it.
func (w *worker) append(ctx context.Context, id acp.SessionID, times int) error {
	l, err := w.s.Acquire(ctx, id)
	if errors.Is(err, store.ErrBusy) {
		return nil
	}
	if err != nil {
		return err
	}
	for range times {
		w.mu.Lock()
		n := w.done[id]
		w.mu.Unlock()
		e, err := store.UpdateEvent(&acp.AgentMessageChunk{Content: acp.Text(fmt.Sprintf("%s:%d;", w.name, n)), MessageID: "m"})
		if err != nil {
			return err
		}
		if _, err := l.Append(ctx, store.Change{Events: []store.Event{e}, Documents: store.Documents{Usage: []byte("1")}}); err != nil {
			return err
		}
		w.mu.Lock()
		w.done[id]++
		w.mu.Unlock()
	}
	return l.Close()
}

// Several processes make the store at the same moment, and get the same one: what each of them keeps is there.
func TestOpenedForTheFirstTimeByMany(t *testing.T) {
	rounds := 5
	if raceEnabled {
		rounds = 1
	}
	for range rounds {
		dir := t.TempDir()
		var makers []*process
		for i := range 4 {
			makers = append(makers, spawn(t, "make", dir, "WORKER="+strconv.Itoa(i)))
		}
		for _, p := range makers { // they are ready
			if _, err := p.out.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		}
		for _, p := range makers {
			if err := p.in.Close(); err != nil {
				t.Fatal(err)
			}
		}
		for _, p := range makers {
			if err := p.Wait(); err != nil {
				t.Error(err)
			}
		}
		page, err := open(t, dir, store.Options{}).List(t.Context(), store.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		if n := len(page.Sessions); n != len(makers) {
			t.Errorf("there are %d sessions", n)
		}
	}
}

// makeOne makes a session when its input ends.
func makeOne(dir string) error {
	fmt.Println("ready")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	s, err := store.Open(context.Background(), dir, store.Options{})
	if err != nil {
		return err
	}
	if _, err := s.Create(context.Background(), store.Session{ID: acp.SessionID(os.Getenv("WORKER")), CWD: "/work"}); err != nil {
		return err
	}
	return s.Close()
}
