// Package openai speaks with OpenAI's models, and with everything that has learned OpenAI's ways: Ollama, vLLM, llama.cpp,
// LM Studio, OpenRouter and the like.
//
//	m, err := openai.New(openai.Options{Model: "gpt-5.1", Key: key, Thinking: true})
//
//	m, err := openai.New(openai.Options{
//		Provider: "ollama",
//		BaseURL:  "http://127.0.0.1:11434/v1",
//		Model:    "qwen3-coder",
//	})
//
// There are two APIs. Responses is OpenAI's own: requests are stateless (nothing is stored), and the model's encrypted
// reasoning goes back to it in a Memo. Chat Completions is what everybody else speaks, each with habits of their own, which
// the package bears as long as an answer has a beginning and an end.
package openai
