package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

const sdkPackage = "@agentclientprotocol/sdk"

// printEnvironment says what a table needs to be compared with another one.
func printEnvironment(d *driver, stacks []string, rounds int) {
	fmt.Printf("%s · %s · %d × %s · %s/%s · %s",
		time.Now().UTC().Format("2006-01-02 15:04 MST"), strings.Join(stacks, ", "),
		runtime.GOMAXPROCS(0), cpu(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == "github.com/coder/acp-go-sdk" {
				fmt.Printf(" · acp-go-sdk %s", m.Version)
			}
		}
	}
	if d.node != "" && d.sdk != "" {
		out, _ := exec.Command(d.node, "--version").Output()
		fmt.Printf(" · node %s · %s %s", strings.TrimSpace(string(out)), sdkPackage, sdkVersion(d.sdk))
	}
	fmt.Printf(" · medians of %d%s\n\n", rounds, load())
}

// load says how busy the machine was before: other people's work shows in every number.
func load() string {
	text, _ := os.ReadFile("/proc/loadavg")
	if minute, _, ok := strings.Cut(string(text), " "); ok {
		return " · load " + minute
	}
	return ""
}

func cpu() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown CPU"
}

func sdkVersion(modules string) string {
	var p struct{ Version string }
	text, err := os.ReadFile(filepath.Join(modules, sdkPackage, "package.json"))
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil {
		return "of unknown version"
	}
	return p.Version
}
