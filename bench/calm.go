package main

import (
	"fmt"
	"os"
	"runtime"
	"time"
)

// waitForCalm waits until other people's work has left nine tenths of the machine alone for half a second.
func waitForCalm(atMost time.Duration) {
	const glance = 500 * time.Millisecond
	for deadline := time.Now().Add(atMost); time.Now().Before(deadline); {
		before, ok := idleTime()
		if !ok {
			return
		}
		time.Sleep(glance)
		after, _ := idleTime()
		if after-before >= glance*time.Duration(runtime.NumCPU())*9/10 {
			return
		}
	}
}

// idleTime returns how long the processors have been idle, all together, from /proc/stat.
func idleTime() (time.Duration, bool) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, false
	}
	var user, nice, system, idle int64
	if _, err := fmt.Sscanf(string(text), "cpu %d %d %d %d", &user, &nice, &system, &idle); err != nil {
		return 0, false
	}
	return time.Duration(idle) * 10 * time.Millisecond, true // in hundredths of a second
}
