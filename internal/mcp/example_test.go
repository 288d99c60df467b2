package mcp_test

import (
	"context"
	"fmt"
	"os"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/mcp"
)

func Example() {
	ctx := context.Background()
	server := &acp.MCPServerStdio{Name: "demo", Command: os.Args[0], Args: []string{serveArgument, "full"}} // this very program
	set := mcp.Start(ctx, []acp.MCPServer{server}, mcp.Options{})
	defer set.Close()
	if err := set.Wait(ctx); err != nil {
		fmt.Println(err)
		return
	}
	result, err := set.Call(ctx, mcp.Call{Tool: "mcp__demo__echo", Input: acp.Raw(`{"text": "hello"}`)})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(set.Status()[0].State, result.Text)
	// Output: ready hello
}
