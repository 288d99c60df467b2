package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"time"
)

// stats is what a process knows of itself.
type stats struct {
	Mallocs   uint64 // objects allocated so far; 0 for node
	Allocated uint64 // bytes allocated so far; 0 for node
	Resident  int64  // bytes of memory in use; 0 where the system does not tell
	Peak      int64  // bytes in use at most since settle; 0 where the system does not tell
	Received  int64  // length of the last long text
}

func takeStats() stats {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	s := stats{Mallocs: m.Mallocs, Allocated: m.TotalAlloc}
	s.Resident, s.Peak = residentMemory()
	return s
}

// live returns the bytes that a collection leaves, stacks included, once all is quiet.
func live() int64 {
	time.Sleep(50 * time.Millisecond)
	runtime.GC()
	runtime.GC() // what the first one has finalized, and what pools held
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// settle collects garbage, gives memory back and makes the peak start from here.
func settle() {
	debug.FreeOSMemory()
	// On Linux, writing 5 resets the peak. Elsewhere there is no such file, and no peak either.
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// residentMemory reads /proc/self/status.
func residentMemory() (now, peak int64) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, 0
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		var kib int64
		if n, _ := fmt.Sscanf(lines.Text(), "VmHWM: %d kB", &kib); n == 1 {
			peak = kib << 10
		}
		if n, _ := fmt.Sscanf(lines.Text(), "VmRSS: %d kB", &kib); n == 1 {
			now = kib << 10
		}
	}
	return now, peak
}
