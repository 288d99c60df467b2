package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// A tally has what agents have said that they did, in whichever process, and so what has to be there.
type tally struct {
	mu       sync.Mutex
	accounts []*account
}

// An account is a session in the tally. Who works with the session holds it: a session is open in one process at a time.
type account struct {
	mu       sync.Mutex
	id       acp.SessionID
	cwd      string
	said     []string // the updates of its turns, as they were on the wire
	title    string   // of the user's
	archived bool
	deleted  bool
}

func (l *tally) add(a *account) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.accounts = append(l.accounts, a)
}

// take returns a session that nobody works with, which the caller gives back; nil if there is none.
func (l *tally) take() *account {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, i := range rand.Perm(len(l.accounts)) {
		a := l.accounts[i]
		if !a.mu.TryLock() {
			continue
		}
		if !a.deleted {
			return a
		}
		a.mu.Unlock()
	}
	return nil
}

// A worker is a client of a process, and does what clients do.
type worker struct {
	*process
	rpc *jsonrpc.Conn

	mu   sync.Mutex // guards what follows
	seen map[acp.SessionID][]string
}

func startWorker(t *testing.T, state string) *worker {
	t.Helper()
	w := &worker{process: startProcess(t, []string{"XDG_STATE_HOME=" + state}, "--model", "offline", "--auto-approve"), seen: map[acp.SessionID][]string{}}
	w.rpc = jsonrpc.NewConn(transport.New(w.out, w.in, transport.Options{}), w, jsonrpc.Options{KeyMember: acp.SessionKeyMember, Key: acp.SessionKey})
	t.Cleanup(func() {
		_ = w.rpc.Close()
		_ = w.rpc.Wait()
	})
	if err := w.call(acp.MethodInitialize, &acp.InitializeRequest{ProtocolVersion: acp.Version1}, nil); err != nil {
		t.Fatal(err)
	}
	return w
}

// Handle keeps the updates of turns. What a session is called and which commands it has is told anew.
func (w *worker) Handle(_ context.Context, req *jsonrpc.Request) (any, error) {
	if req.Method != acp.MethodSessionUpdate {
		return nil, jsonrpc.ErrMethodNotFound
	}
	var n acp.SessionNotification
	if err := json.Unmarshal(req.Params, &n); err != nil {
		return nil, err
	}
	switch n.Update.(type) {
	case *acp.AvailableCommandsUpdate, *acp.SessionInfoUpdate:
		return nil, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[n.SessionID] = append(w.seen[n.SessionID], fmt.Sprintf(`{"params":{"update":%s}}`, updateOf(req.Params)))
	return nil, nil
}

// updateOf is the update in a notification, as it is there.
func updateOf(params []byte) []byte {
	var n struct {
		Update acp.Raw `json:"update"`
	}
	_ = json.Unmarshal(params, &n) // which has been read before
	return n.Update
}

// came returns the updates of a session since the last time.
func (w *worker) came(id acp.SessionID) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := w.seen[id]
	delete(w.seen, id)
	return list
}

func (w *worker) call(method string, params, result any) error {
	if err := w.rpc.Call(w.Context(), method, params, result); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

// create makes a session and says something in it.
func (w *worker) create(l *tally) error {
	var opened acp.NewSessionResponse
	if err := w.call(acp.MethodSessionNew, &acp.NewSessionRequest{CWD: w.cmd.Dir, MCPServers: []acp.MCPServer{}}, &opened); err != nil {
		return err
	}
	a := &account{id: opened.SessionID, cwd: w.cmd.Dir}
	err := errors.Join(w.talk(a), w.close(a))
	l.add(a)
	return err
}

var topics = []string{"list", "run echo hi", "/demo stream 30 0", "/demo tools", "/demo plan", "write a.txt x", "/demo content"}

// talk takes some turns.
func (w *worker) talk(a *account) error {
	for range 1 + rand.N(3) {
		words := topics[rand.N(len(topics))]
		var answer acp.PromptResponse
		err := w.call(acp.MethodSessionPrompt, &acp.PromptRequest{SessionID: a.id, Prompt: []acp.ContentBlock{acp.Text(words)}}, &answer)
		if a.said = append(a.said, w.came(a.id)...); err != nil {
			return err
		}
	}
	return nil
}

func (w *worker) close(a *account) error {
	return w.call(acp.MethodSessionClose, &acp.CloseSessionRequest{SessionID: a.id}, nil)
}

// load loads a session, whoever has written it, and looks whether all of it is shown.
func (w *worker) load(a *account) error {
	w.came(a.id)
	err := w.call(acp.MethodSessionLoad, &acp.LoadSessionRequest{SessionID: a.id, CWD: a.cwd, MCPServers: []acp.MCPServer{}}, nil)
	if err != nil {
		return err
	}
	if live, replay := transcript(w.T, a.said), transcript(w.T, w.came(a.id)); live != replay {
		return fmt.Errorf("session %s: its clients saw\n%s\nand one is shown\n%s", a.id, live, replay)
	}
	return nil
}

// fork begins a session with what another one is.
func (w *worker) fork(l *tally, a *account) error {
	var forked acp.ForkSessionResponse
	if err := w.call(acp.MethodSessionFork, &acp.ForkSessionRequest{SessionID: a.id, CWD: w.cmd.Dir}, &forked); err != nil {
		return err
	}
	next := &account{id: forked.SessionID, cwd: w.cmd.Dir, said: slices.Clone(a.said)}
	w.came(next.id)
	err := errors.Join(w.talk(next), w.close(next))
	l.add(next)
	return err
}

// step does one thing with one session.
func (w *worker) step(l *tally) error {
	a := l.take()
	if a == nil || rand.N(4) == 0 {
		if a != nil {
			a.mu.Unlock()
		}
		return w.create(l)
	}
	defer a.mu.Unlock()
	switch rand.N(8) {
	case 0:
		a.deleted = true
		return w.call(acp.MethodSessionDelete, &acp.DeleteSessionRequest{SessionID: a.id}, nil)
	case 1:
		a.archived = true
		return w.call(acp.MethodSessionArchive, &acp.ArchiveSessionRequest{SessionID: a.id}, nil)
	case 2:
		a.archived = false
		return w.call(acp.MethodSessionUnarchive, &acp.UnarchiveSessionRequest{SessionID: a.id}, nil)
	case 3:
		a.title = fmt.Sprintf("title %d", rand.N(1000))
		return w.call(acp.MethodSessionSetTitle, &acp.SetSessionTitleRequest{SessionID: a.id, Title: a.title}, nil)
	case 4:
		return w.fork(l, a)
	case 5:
		_, err := w.list()
		return err
	}
	if err := w.load(a); err != nil {
		return err
	}
	return errors.Join(w.talk(a), w.close(a))
}

// list reads all pages. Others use sessions meanwhile, but none comes twice.
func (w *worker) list() (map[acp.SessionID]acp.SessionInfo, error) {
	all := map[acp.SessionID]acp.SessionInfo{}
	for req := (acp.ListSessionsRequest{Archived: acp.SessionArchiveFilterInclude}); ; {
		var page acp.ListSessionsResponse
		if err := w.call(acp.MethodSessionList, &req, &page); err != nil {
			return nil, err
		}
		for _, s := range page.Sessions {
			if _, twice := all[s.SessionID]; twice {
				return nil, fmt.Errorf("session %s is listed twice", s.SessionID)
			}
			all[s.SessionID] = s
		}
		if req.Cursor = page.NextCursor; req.Cursor == "" {
			return all, nil
		}
	}
}

// S001.17, F64, F77, F91: three agents share a store, as processes of their own. Each makes sessions, goes on with those of
// others, names, forks, archives, lists and deletes them. At the end all that any of them has acknowledged is there and equal,
// what was deleted is gone, and nobody holds anything.
func TestF77_ThreeProcessesShareAStore(t *testing.T) {
	span := 3 * time.Second
	if os.Getenv("PATCHBAY_SOAK") != "" {
		span = time.Minute
	}
	l, state := &tally{}, t.TempDir()
	var all sync.WaitGroup
	steps := make([]int, 3)
	for i := range steps {
		w := startWorker(t, state)
		all.Go(func() {
			for end := time.Now().Add(span); time.Now().Before(end); steps[i]++ {
				if err := w.step(l); err != nil {
					t.Errorf("process %d, step %d: %v", i+1, steps[i], err)
					return
				}
			}
		})
	}
	all.Wait()
	updates := 0
	for _, a := range l.accounts {
		updates += len(a.said)
	}
	t.Logf("%d sessions with %d updates in %v steps", len(l.accounts), updates, steps)
	last := startWorker(t, state)
	listed, err := last.list()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range l.accounts {
		last.audit(a, listed)
		delete(listed, a.id)
	}
	if len(listed) > 0 {
		t.Errorf("%d sessions are listed that nobody has made", len(listed))
	}
}

// audit looks whether a session is what the tally says. The processes that had it before are still there.
func (w *worker) audit(a *account, listed map[acp.SessionID]acp.SessionInfo) {
	var status acp.SessionStatusResponse
	err := w.call(acp.MethodSessionStatus, &acp.SessionStatusRequest{SessionID: a.id}, &status)
	info, found := listed[a.id]
	switch {
	case a.deleted && (!errors.Is(err, &acp.Error{Code: acp.CodeResourceNotFound}) || found):
		w.Errorf("session %s was deleted, and its status is %q, %v; listed: %t", a.id, status.Status, err, found)
	case a.deleted:
	case err != nil || status.Status != acp.SessionStatusSaved || !found:
		w.Errorf("the status of session %s is %q, %v; listed: %t", a.id, status.Status, err, found)
	case *info.Archived != a.archived || a.title != "" && info.Title != a.title || info.CWD != a.cwd:
		w.Errorf("session %s is listed as %+v, want %q, archived %t", a.id, info, a.title, a.archived)
	default:
		if err := errors.Join(w.load(a), w.close(a)); err != nil {
			w.Error(err)
		}
	}
}
