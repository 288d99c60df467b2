package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/patchbay-dev/patchbay/acp"
)

// An input is what the agent is given.
type input struct {
	prompt   string
	attached []attachment
}

// blocks returns the prompt for an agent, and what is worth to know about it.
func (in input) blocks(can *acp.PromptCapabilities) (blocks []acp.ContentBlock, notes []string) {
	if in.prompt != "" {
		blocks = append(blocks, acp.Text(in.prompt))
	}
	for _, a := range in.attached {
		block, note := a.block(can)
		if blocks = append(blocks, block); note != "" {
			notes = append(notes, note)
		}
	}
	return blocks, notes
}

const (
	// maxPrompt is how long a prompt may be, in bytes.
	maxPrompt = 16 << 20

	// inputPatience is how long a pipe that nobody has named may take to say something, if there is a prompt without it. In
	// CI standard input is often a pipe that never says anything and never ends.
	inputPatience = 3 * time.Second
)

// prompt puts together what is to be asked: the words, the file, and standard input, parted by empty lines.
func (c *runCmd) prompt(stdin *os.File) (string, error) {
	words := slices.DeleteFunc(slices.Clone(c.Prompt), func(word string) bool { return word == "-" })
	parts := []string{strings.Join(words, " ")}
	if c.File != "" && c.File != "-" {
		text, err := readWithin(&lateFile{path: string(c.File)}, 0, c.Timeout)
		if err == errTimeout {
			return "", &exitError{exitTimeout, err}
		}
		if err != nil {
			return "", fmt.Errorf("--file: %w", err)
		}
		parts = append(parts, text)
	}
	parts = slices.DeleteFunc(parts, blank)
	named := len(words) < len(c.Prompt) || c.File == "-"
	said, err := c.readInput(stdin, named, len(parts)+len(c.Attach) > 0)
	if err != nil {
		return "", err
	}
	if !blank(said) {
		parts = append(parts, said)
	}
	if len(parts) == 0 && len(c.Attach) == 0 {
		return "", errors.New("the prompt is empty")
	}
	prompt := strings.Join(parts, "\n\n")
	if len(prompt) > maxPrompt {
		return "", errTooLong
	}
	return prompt, nil
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }

var errTooLong = fmt.Errorf("the prompt is longer than %d MiB", maxPrompt>>20)

// A lateFile is opened when it is read, since to open a pipe is to wait for who writes into it.
type lateFile struct {
	path string
	file *os.File
}

// Read reads, and closes the file at its end.
func (f *lateFile) Read(p []byte) (n int, err error) {
	if f.file == nil {
		if f.file, err = os.Open(f.path); err != nil {
			return 0, err
		}
	}
	n, err = f.file.Read(p)
	if err != nil {
		_ = f.file.Close()
	}
	return n, err
}

// readText reads a text of up to maxPrompt bytes.
func readText(r io.Reader) (string, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxPrompt+1))
	switch {
	case err != nil:
		return "", err
	case len(text) > maxPrompt:
		return "", errTooLong
	case bytes.IndexByte(text, 0) >= 0:
		return "", errors.New("that is no text; --attach is for images, sound and other files")
	}
	return string(text), nil
}

// readInput reads standard input. Where it was not named it is read if there may be something in it: a terminal and /dev/null
// are left alone, and a pipe gets inputPatience if there is a prompt already, so that nothing ever hangs for want of an input
// that nobody had in mind.
func (c *runCmd) readInput(stdin *os.File, named, enough bool) (string, error) {
	info, err := stdin.Stat()
	switch {
	case err != nil && named:
		return "", fmt.Errorf("read the prompt from standard input: %w", err)
	case err != nil, !named && term.IsTerminal(int(stdin.Fd())), !named && info.Mode()&os.ModeCharDevice != 0:
		return "", nil
	}
	patience := inputPatience
	if named || !enough || info.Mode().IsRegular() {
		patience = 0
	}
	text, err := readWithin(stdin, patience, c.Timeout)
	switch {
	case errors.Is(err, errSilent):
		warn(fmt.Sprintf("standard input said nothing for %v and is left out; - waits for it, and </dev/null does not", patience))
		return "", nil
	case errors.Is(err, errTimeout):
		return "", &exitError{exitTimeout, err}
	case err != nil:
		return "", fmt.Errorf("read the prompt from standard input: %w", err)
	}
	return text, nil
}

var errSilent = errors.New("nothing was said")

// readWithin reads a text that has to begin within its patience and to end within a time; 0 is no limit. Who waits in vain
// leaves a goroutine behind that reads until the process ends, since a read from a pipe can't be ended everywhere.
func readWithin(r io.Reader, patience, limit time.Duration) (string, error) {
	type outcome struct {
		text string
		err  error
	}
	begun, done := make(chan struct{}), make(chan outcome, 1)
	go func() {
		var first [1]byte
		n, err := io.ReadFull(r, first[:])
		close(begun)
		if err == io.EOF {
			done <- outcome{}
			return
		}
		text, err := readText(io.MultiReader(bytes.NewReader(first[:n]), r))
		done <- outcome{text, err}
	}()
	select {
	case <-begun:
	case <-after(patience):
		return "", errSilent
	case <-after(limit):
		return "", errTimeout
	}
	select {
	case o := <-done:
		return o.text, o.err
	case <-after(limit):
		return "", errTimeout
	}
}

// after is time.After, for ever if there is no limit.
func after(d time.Duration) <-chan time.Time {
	if d <= 0 {
		return nil
	}
	return time.After(d)
}
