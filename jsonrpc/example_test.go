package jsonrpc_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// Two sides in one process: one offers a method, and reports on its work while it is under way; the other calls it.
func Example() {
	left, right := transport.Pipe()

	adder := jsonrpc.NewConn(right, jsonrpc.HandlerFunc(func(ctx context.Context, req *jsonrpc.Request) (any, error) {
		if req.Method != "add" {
			return nil, jsonrpc.ErrMethodNotFound
		}
		var params struct {
			Job string `json:"job"`
			A   int    `json:"a"`
			B   int    `json:"b"`
		}
		if err := req.Decode(&params); err != nil {
			return nil, err
		}
		if err := req.Conn().Notify(ctx, "progress", map[string]string{"job": params.Job}); err != nil {
			return nil, err
		}
		return params.A + params.B, nil
	}), jsonrpc.Options{})
	defer adder.Close()

	caller := jsonrpc.NewConn(left, jsonrpc.HandlerFunc(func(_ context.Context, req *jsonrpc.Request) (any, error) {
		fmt.Println(req.Method, string(req.Params))
		return nil, nil
	}), jsonrpc.Options{
		// Progress of a job is reported before the answer to the call that names the job.
		KeyMember: "job",
	})
	defer caller.Close()

	var sum int
	err := caller.Call(context.Background(), "add", map[string]any{"job": "j1", "a": 2, "b": 3}, &sum)
	fmt.Println(sum, err)

	err = caller.Call(context.Background(), "multiply", nil, nil)
	var refusal *jsonrpc.Error
	fmt.Println(errors.As(err, &refusal), refusal.Code)
	// Output:
	// progress {"job":"j1"}
	// 5 <nil>
	// true -32601
}
