//go:build unix

package tool_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/internal/tool"
)

// A backstage is a place whose commands in the background end with the test.
func backstage(t *testing.T) (*place, *tool.Local) {
	p := at(t)
	local := tool.NewLocal(p.dir, nil)
	t.Cleanup(local.Close)
	p.env = local
	return p, local
}

func (p *place) background(command string) {
	p.Helper()
	p.must(tool.Shell(), `{'background':true,'command':'`+command+`'}`)
}

func (p *place) open(gate string) {
	p.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, gate), nil, 0o666); err != nil {
		p.Fatal(err)
	}
}

const untilGate = "until [ -e gate ]; do sleep 0.01; done; "

// A command in the background completes its call when it has started (T2). What it writes is read part by part.
func TestT2_BackgroundJob(t *testing.T) {
	p, _ := backstage(t)
	r := p.must(tool.Shell(), `{'background':true,'command':'echo one; `+untilGate+`echo two; exit 3'}`)
	p.wantText(r, "The command runs in the background as job_1\n")
	if r.Failed {
		t.Error("it failed")
	}
	p.eventually(`{'action':'output','id':'job_1'}`, "job_1 is running\none\n")
	p.wantText(p.must(tool.BackgroundJob(), `{'action':'output','id':'job_1'}`), "job_1 is running and has written nothing new\n")
	p.wantText(p.must(tool.BackgroundJob(), `{'action':'list'}`), "1 job in the background\njob_1 (running): echo one; "+untilGate+"echo two; exit 3\n")
	p.open("gate")
	p.wantText(p.must(tool.BackgroundJob(), `{'action':'output','id':'job_1','wait_seconds':600}`), "job_1 ended with status 3\ntwo\n")
	p.wantText(p.must(tool.BackgroundJob(), `{'action':'output','id':'job_1'}`), "job_1 ended with status 3 and has written nothing new\n")
	if list := p.must(tool.BackgroundJob(), `{'action':'list'}`).Text; !strings.Contains(list, "job_1 (ended)") {
		t.Error(list)
	}
}

// eventually makes a call of job until its text is this.
func (p *place) eventually(input, want string) {
	p.Helper()
	last := ""
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); <-tick.C {
		if last = p.must(tool.BackgroundJob(), input).Text; last == want {
			return
		}
	}
	p.Fatalf("%s says %q, want %q", input, last, want)
}

// A job is stopped with what it has started, and asked to before it is made to.
func TestJobIsStopped(t *testing.T) {
	p, _ := backstage(t)
	p.background(`trap \"echo bye; exit 0\" TERM; sleep 1000 & echo $! > pid; wait`)
	p.exists("pid")
	p.wantText(p.must(tool.BackgroundJob(), `{'action':'stop','id':'job_1'}`), "job_1 was stopped\nbye\n")
	p.wantGone(p.text("pid"))
	p.wantText(p.must(tool.BackgroundJob(), `{'action':'stop','id':'job_1'}`), "job_1 had ended before and has written nothing new\n")
}

// exists waits until a file has something in it.
func (p *place) exists(name string) {
	p.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); <-tick.C {
		if info, err := os.Stat(filepath.Join(p.dir, name)); err == nil && info.Size() > 0 {
			return
		}
	}
	p.Fatalf("%s never came", name)
}

// F92: what runs in the background ends with its session, with what it has started, and nothing begins afterwards.
func TestF92_JobsEndWithTheSession(t *testing.T) {
	p, local := backstage(t)
	for i := range 3 {
		p.background(fmt.Sprintf("trap : TERM; sleep 1000 & echo $! > pid%d; wait; wait", i))
	}
	for i := range 3 {
		p.exists(fmt.Sprintf("pid%d", i))
	}
	local.Close()
	for i := range 3 {
		p.wantGone(p.text(fmt.Sprintf("pid%d", i)))
	}
	p.wantError(tool.Shell(), `{'background':true,'command':'true'}`, "the session has ended")
	local.Close() // is harmless
}

// A session has so many jobs and no more. One that has ended gives way.
func TestJobsAreBounded(t *testing.T) {
	p, _ := backstage(t)
	p.background("true")
	p.must(tool.BackgroundJob(), `{'action':'output','id':'job_1','wait_seconds':600}`)
	for range 16 {
		p.background("sleep 1000")
	}
	p.wantError(tool.Shell(), `{'background':true,'command':'true'}`, "16 commands run in the background already")
	p.wantError(tool.BackgroundJob(), `{'action':'output','id':'job_1'}`, `no job "job_1"; there are job_2, job_3`)
	p.must(tool.BackgroundJob(), `{'action':'stop','id':'job_5'}`)
	p.wantText(p.must(tool.Shell(), `{'background':true,'command':'true'}`), "The command runs in the background as job_18\n")
	p.wantError(tool.BackgroundJob(), `{'action':'stop','id':'job_5'}`, `no job "job_5"`)
}

// F106: a job that writes more than is kept loses the beginning, and that is said.
func TestF106_JobOutputIsBounded(t *testing.T) {
	p, _ := backstage(t)
	p.background("yes äöü | head -c 1000001; echo; echo the end")
	r := p.must(tool.BackgroundJob(), `{'action':'output','id':'job_1','wait_seconds':600}`)
	if want := "job_1 ended with status 0; it has written too much since you looked last, and this is the end of it\n"; !strings.HasPrefix(r.Text, want) ||
		!strings.HasSuffix(r.Text, "\nthe end\n") || len(r.Text) > 256<<10+200 {
		t.Errorf("%d bytes begin with %.120q", len(r.Text), r.Text)
	}
}

func TestJobRefusesBadInput(t *testing.T) {
	p, _ := backstage(t)
	for input, want := range map[string]string{
		`{}`:                             `missing properties: ["action"]`,
		`{'action':'kill','id':'job_1'}`: "kill does not equal any of",
		`{'action':'stop'}`:              "nothing runs in the background",
		`{'action':'stop','id':'job_1'}`: `no job "job_1"`,
		`{'action':'output','id':'x','wait_seconds':-1}`:  "-1 is less than 0",
		`{'action':'output','id':'x','wait_seconds':601}`: "601 is greater than 600",
	} {
		p.wantError(tool.BackgroundJob(), input, want)
	}
	p.wantText(p.must(tool.BackgroundJob(), `{'action':'list'}`), "0 jobs in the background\n")
}

// Waiting for a job ends with the turn, and the job goes on.
func TestWaitingForAJobIsCancelled(t *testing.T) {
	p, _ := backstage(t)
	p.background("sleep 1000")
	job, err := p.prepare(tool.BackgroundJob(), `{'action':'output','id':'job_1','wait_seconds':600}`)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := job.Run(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got error %v", err)
	}
	if list := p.must(tool.BackgroundJob(), `{'action':'list'}`).Text; !strings.Contains(list, "job_1 (running)") {
		t.Error(list)
	}
}
