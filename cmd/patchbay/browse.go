package main

import (
	"os/exec"
	"runtime"
)

// browse opens a page in the user's browser, and waits for the program that does so, but not for the browser.
func browse(address string) error {
	switch runtime.GOOS {
	case "darwin":
		return exec.Command("open", address).Run()
	case "windows":
		return exec.Command("rundll32", "url.dll,FileProtocolHandler", address).Run()
	}
	return exec.Command("xdg-open", address).Run()
}
