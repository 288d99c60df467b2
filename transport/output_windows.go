package transport

import (
	"os"
	"time"
)

// An output is our end of a process's standard output. Reads of it can't be interrupted here, so a pump does them.
type output struct{ *pump }

func newOutput(f *os.File) *output { return &output{newPump(f, true)} }

// abandon makes the stream's Read return. The pump reads on, to nowhere.
func (o *output) abandon() { _ = o.Close() }

// expire does nothing: the job takes every descendant with it, so no one holds the pipe.
func (o *output) expire(time.Time) {}
