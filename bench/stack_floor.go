package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"unsafe"
)

// floorStack is what no stack can beat: lines of the same bytes go through the same pipes, but nothing looks into them.
// The messages are put together from fixed pieces, with sessions and ids of a fixed length, and cut at fixed places.
// There are no goroutines either: a call writes its line and reads lines until the answer.
type floorStack struct{}

func (floorStack) window() int { return 0 }

func (floorStack) arrives(text string) string { return escape(text) }

func (floorStack) spawn(argv []string, onUpdate updateFunc) (client, error) {
	p, err := start(argv)
	if err != nil {
		return nil, err
	}
	return &floorClient{lines: lineReader{r: p.out}, out: p.in, onUpdate: onUpdate, stop: p.stop, id: firstID}, nil
}

func (floorStack) serve(a *agent) error { return serveFloor(os.Stdin, os.Stdout, a) }

func (floorStack) pair(a *agent, onUpdate updateFunc, osPipes bool) (client, error) {
	here, there, err := ducts(osPipes)
	if err != nil {
		return nil, err
	}
	go serveFloor(there.in, there.out, a)
	stop := func() { here.close(); there.close() }
	return &floorClient{lines: lineReader{r: here.in}, out: here.out, onUpdate: onUpdate, stop: stop, id: firstID}, nil
}

// The pieces of the messages. Between them stand an id of eight digits, a session of eight characters, and a text.
const (
	idLen      = 8
	sessionLen = 8
	firstID    = 10_000_000

	updateHead = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"`
	updateText = `","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"`
	updateTail = "\"}}}}\n"

	idHead      = `{"jsonrpc":"2.0","id":`
	promptHead  = `,"method":"session/prompt","params":{"sessionId":"`
	promptText  = `","prompt":[{"type":"text","text":"`
	promptTail  = "\"}]}}\n"
	setModeHead = `,"method":"session/set_mode","params":{"sessionId":"`
	setModeTail = "\",\"modeId\":\"code\"}}\n"
	stopHead    = `,"result":{"stopReason":"`
	stopTail    = "\"}}\n"
	setModeDone = ",\"result\":{}}\n"
)

type floorClient struct {
	lines    lineReader
	out      io.Writer
	onUpdate updateFunc
	stop     func()
	id       int
	buf      []byte
}

func (c *floorClient) close() { c.stop() }

func (c *floorClient) setMode(_ context.Context, session string) error {
	c.request(setModeHead, session)
	c.buf = append(c.buf, setModeTail...)
	if _, err := c.out.Write(c.buf); err != nil {
		return err
	}
	_, _, err := c.read()
	return err
}

func (c *floorClient) prompt(_ context.Context, session, text string) (string, error) {
	if err := c.sendPrompt(session, text); err != nil {
		return "", err
	}
	_, stop, err := c.read()
	return stop, err
}

// promptAll sends the prompts while it reads: else both ends could wait for the other to read.
func (c *floorClient) promptAll(sessions []string, text string, returned func(session string)) error {
	first := c.id + 1
	sent := make(chan error, 1)
	go func() {
		for _, session := range sessions {
			if err := c.sendPrompt(session, text); err != nil {
				sent <- err
				return
			}
		}
		sent <- nil
	}()
	for range sessions {
		id, _, err := c.read()
		if err != nil {
			return err
		}
		returned(sessions[id-first])
	}
	return <-sent
}

// request begins a request in the buffer.
func (c *floorClient) request(head, session string) {
	c.id++
	c.buf = append(c.buf[:0], idHead...)
	c.buf = strconv.AppendInt(c.buf, int64(c.id), 10)
	c.buf = append(c.buf, head...)
	c.buf = append(c.buf, session...)
}

func (c *floorClient) sendPrompt(session, text string) error {
	text = escape(text)
	c.request(promptHead, session)
	c.buf = append(c.buf, promptText...)
	if len(text) > 1<<16 { // as it is: copying it would be work that is no part of the pipe
		if _, err := c.out.Write(c.buf); err != nil {
			return err
		}
		if _, err := io.WriteString(c.out, text); err != nil {
			return err
		}
		_, err := io.WriteString(c.out, promptTail)
		return err
	}
	c.buf = append(c.buf, text...)
	c.buf = append(c.buf, promptTail...)
	_, err := c.out.Write(c.buf)
	return err
}

// read hands updates on until an answer comes, and returns its id and its stop reason if it has one.
func (c *floorClient) read() (id int, stop string, err error) {
	for {
		line, err := c.lines.next()
		if err != nil {
			return 0, "", err
		}
		if rest, ok := bytes.CutPrefix(line, []byte(updateHead)); ok {
			text := rest[sessionLen+len(updateText) : len(rest)-len(updateTail)]
			c.onUpdate(view(rest[:sessionLen]), view(text))
			continue
		}
		id, err := strconv.Atoi(view(line[len(idHead):][:idLen]))
		if err != nil {
			return 0, "", fmt.Errorf("an answer with no id: %q", line)
		}
		rest := line[len(idHead)+idLen:]
		if rest, ok := bytes.CutPrefix(rest, []byte(stopHead)); ok {
			return id, string(rest[:len(rest)-len(stopTail)]), nil
		}
		return id, "", nil
	}
}

func serveFloor(in io.Reader, out io.Writer, a *agent) error {
	lines := lineReader{r: in}
	var buf, answer []byte
	for {
		line, err := lines.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		answer = append(answer[:0], line[:len(idHead)+idLen]...)
		rest := line[len(idHead)+idLen:]
		if rest, ok := bytes.CutPrefix(rest, []byte(promptHead)); ok {
			session := string(rest[:sessionLen])
			text := rest[sessionLen+len(promptText) : len(rest)-len(promptTail)]
			stop, err := a.prompt(context.Background(), view(text), func(text string) error {
				buf = append(buf[:0], updateHead...)
				buf = append(buf, session...)
				buf = append(buf, updateText...)
				buf = append(buf, escape(text)...)
				buf = append(buf, updateTail...)
				_, err := out.Write(buf)
				return err
			})
			if err != nil {
				return err
			}
			answer = append(answer, stopHead...)
			answer = append(answer, stop...)
			answer = append(answer, stopTail...)
		} else {
			answer = append(answer, setModeDone...)
		}
		if _, err := out.Write(answer); err != nil {
			return err
		}
	}
}

// view is a string that shares its bytes with b: it holds as long as nobody writes to b.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
