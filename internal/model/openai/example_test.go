package openai_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/openai"
)

func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, chunks(delta(`{"content":"Hello "}`), delta(`{"content":"there."}`), finish("stop"), "[DONE]"))
	}))
	defer server.Close()

	m, err := openai.New(openai.Options{Provider: "ollama", BaseURL: server.URL + "/v1", Model: "qwen3-coder"})
	if err != nil {
		fmt.Println(err)
		return
	}
	prompt := model.Message{Role: model.RoleUser, Content: []acp.ContentBlock{acp.Text("Hello.")}}
	for event, err := range m.Stream(context.Background(), &model.Request{Messages: []model.Message{prompt}}) {
		switch e := event.(type) {
		case model.Text:
			fmt.Print(e)
		case model.Stop:
			fmt.Printf("\n%s: %s\n", m.Info().Name, e.Reason)
		default:
			if err != nil {
				fmt.Println(err)
			}
		}
	}
	// Output:
	// Hello there.
	// ollama/qwen3-coder: end
}
