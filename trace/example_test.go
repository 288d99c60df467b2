package trace_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/trace"
)

// A trace is written by a connection's Observe and read line by line.
func Example() {
	var file bytes.Buffer
	w := trace.NewWriter(&file, trace.Options{Program: "my-editor 1.0.0"})
	w.Observe(jsonrpc.Traffic{Outgoing: true, Data: []byte(`{"method":"session/new","params":{"apiKey":"sk-123"}}`)})
	w.Observe(jsonrpc.Traffic{Data: []byte(`loading plugins...`)})
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}

	for rec, err := range trace.Read(&file) {
		switch {
		case err != nil:
			log.Print(err)
		case rec.Header != nil:
			fmt.Println("written by", rec.Header.Program)
		case rec.Msg != nil:
			fmt.Println(rec.Dir, string(rec.Msg))
		case rec.Text != nil:
			fmt.Println(rec.Dir, "noise:", string(rec.Text))
		}
	}
	// Output:
	// written by my-editor 1.0.0
	// client->agent {"method":"session/new","params":{"apiKey":"[redacted]"}}
	// agent->client noise: loading plugins...
}
