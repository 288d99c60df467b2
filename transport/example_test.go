package transport_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"strings"

	"github.com/patchbay-dev/patchbay/transport"
)

// The answer is framed as the first message was, whatever the others look like. The limit is 64 MiB, as a Conn has it.
func ExampleNew() {
	in := strings.NewReader("Content-Length: 12\r\n\r\n{\"method\":1}" + "{\"method\":2}\n" + "loading...\n")
	var out strings.Builder
	stream := transport.New(in, &out, transport.Options{})
	for {
		frames, err := stream.Read(64 << 20)
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		for _, frame := range frames {
			fmt.Printf("%s\n", frame.Data)
		}
	}
	if err := stream.Write([][]byte{[]byte(`{"result":1}`)}); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q\n", out.String())
	// Output:
	// {"method":1}
	// {"method":2}
	// loading...
	// "Content-Length: 12\r\n\r\n{\"result\":1}"
}

func ExamplePipe() {
	client, agent := transport.Pipe()
	if err := client.Write([][]byte{[]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize"}`)}); err != nil {
		log.Fatal(err)
	}
	client.Close()
	frames, err := agent.Read(64 << 20)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", frames[0].Data)
	_, err = agent.Read(64 << 20)
	fmt.Println(err)
	// Output:
	// {"jsonrpc":"2.0","id":1,"method":"initialize"}
	// EOF
}

// A client starts an agent, sees its standard error on the way, and learns why it ended.
func ExampleStart() {
	agent, err := transport.Start(context.Background(), transport.Command{
		Path:     "gemini",
		Args:     []string{"--acp"},
		OnStderr: func(line string) { log.Println("agent:", line) },
	})
	if err != nil {
		log.Fatal(err)
	}
	defer agent.Close() // ends it and everything that it has started

	if err := agent.Write([][]byte{[]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize"}`)}); err != nil {
		log.Fatal(err)
	}
	for {
		frames, err := agent.Read(64 << 20)
		var exit *transport.ExitError
		if errors.As(err, &exit) {
			fmt.Println("the agent is gone:", exit)
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		for _, frame := range frames {
			fmt.Printf("%s\n", frame.Data)
		}
	}
}
