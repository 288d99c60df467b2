package config

// A preset is a provider that needs no description.
type preset struct {
	name, title string
	api         string
	url         string

	// keyEnv are the variables that usually hold the key, the first that is set counts; none if the provider needs no key.
	keyEnv []string

	// urlEnv is the variable that usually holds the address, and parseURL reads it, if it is no plain base URL.
	urlEnv   string
	parseURL func(string) (string, error)

	// model is what is used where nobody has chosen one: what the vendor recommends for everyday coding, and what every key
	// can use. "" if what there is depends on the server.
	model string
}

// presets are the known providers, in the order in which they are looked through where nobody has chosen one.
var presets = []preset{
	{name: "anthropic", title: "Anthropic", api: "anthropic", url: "https://api.anthropic.com",
		keyEnv: []string{"ANTHROPIC_API_KEY"}, urlEnv: "ANTHROPIC_BASE_URL", model: "claude-sonnet-5-5"},
	{name: "openai", title: "OpenAI", api: "responses", url: "https://api.openai.com/v1",
		keyEnv: []string{"OPENAI_API_KEY"}, urlEnv: "OPENAI_BASE_URL", model: "gpt-6.2-sol"},
	{name: "gemini", title: "Google Gemini", api: "gemini", url: "https://generativelanguage.googleapis.com",
		keyEnv: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, urlEnv: "GOOGLE_GEMINI_BASE_URL", model: "gemini-3.8-flash"},
	{name: "openrouter", title: "OpenRouter", api: "chat", url: "https://openrouter.ai/api/v1",
		keyEnv: []string{"OPENROUTER_API_KEY"}},
	{name: "ollama", title: "Ollama", api: "chat", url: "http://127.0.0.1:11434/v1", urlEnv: "OLLAMA_HOST", parseURL: ollamaURL},
	{name: "lmstudio", title: "LM Studio", api: "chat", url: "http://127.0.0.1:1234/v1"},
	{name: "llamacpp", title: "llama.cpp", api: "chat", url: "http://127.0.0.1:8080/v1"},
	{name: "vllm", title: "vLLM", api: "chat", url: "http://127.0.0.1:8000/v1"},
}

func presetNamed(name string) (preset, bool) {
	for _, p := range presets {
		if p.name == name {
			return p, true
		}
	}
	return preset{}, false
}
