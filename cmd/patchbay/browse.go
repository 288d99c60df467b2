package main

import (
	"context"
	"os/exec"
	"runtime"
	"time"
)

// browsePatience is how long the program that opens a page may take to fail. Where no browser is open yet it often becomes the
// browser, and ends when the user closes that.
const browsePatience = 3 * time.Second

// browse opens a page in the user's browser, which outlives this process.
func browse(ctx context.Context, address string) error {
	cmd := opener(address)
	outlive(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // ends with the browser, or with this process
	select {
	case err := <-ended:
		return err
	case <-time.After(browsePatience):
	case <-ctx.Done():
	}
	return nil
}

func opener(address string) *exec.Cmd {
	switch runtime.GOOS {
	case "darwin":
		return exec.Command("open", address)
	case "windows":
		return exec.Command("rundll32", "url.dll,FileProtocolHandler", address)
	}
	return exec.Command("xdg-open", address)
}
