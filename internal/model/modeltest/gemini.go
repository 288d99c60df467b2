package modeltest

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/patchbay-dev/patchbay/acp"
)

// GeminiURL is the base URL of the Gemini API.
func (s *Server) GeminiURL() string { return s.URL }

// gemini is streamGenerateContent of the Gemini API. It is as strict as the API where clients have been caught out: parts
// without data, results that don't match the calls, calls without their signatures.
type gemini struct{}

// geminiPath is the path of a request, with the model's name in it.
var geminiPath = regexp.MustCompile(`^/v1(?:alpha|beta)?/(?:models|tunedModels)/([^/:]+):(streamGenerateContent|generateContent)$`)

func (gemini) takes(path string) bool { return geminiPath.MatchString(path) }

// A geminiRequest is what a request may have; the API refuses names that it doesn't know.
type geminiRequest struct {
	Contents          []geminiContent `json:"contents"`
	SystemInstruction *geminiContent  `json:"systemInstruction"`
	Tools             []struct {
		FunctionDeclarations []geminiFunction `json:"functionDeclarations"`
	} `json:"tools"`
	GenerationConfig struct {
		MaxOutputTokens int `json:"maxOutputTokens"`
		ThinkingConfig  *struct {
			IncludeThoughts bool   `json:"includeThoughts"`
			ThinkingBudget  *int   `json:"thinkingBudget"`
			ThinkingLevel   string `json:"thinkingLevel"`
		} `json:"thinkingConfig"`
	} `json:"generationConfig"`
}

type geminiFunction struct {
	Name                 string  `json:"name"`
	Description          string  `json:"description"`
	ParametersJSONSchema acp.Raw `json:"parametersJsonSchema"`
}

type geminiContent struct {
	Role  string       `json:"role,omitzero"`
	Parts []geminiPart `json:"parts"`
}

// A geminiPart has one of its data fields.
type geminiPart struct {
	Text             *string             `json:"text,omitzero"`
	InlineData       *geminiData         `json:"inlineData,omitzero"`
	FileData         *geminiData         `json:"fileData,omitzero"`
	FunctionCall     *geminiCall         `json:"functionCall,omitzero"`
	FunctionResponse *geminiCallResponse `json:"functionResponse,omitzero"`

	Thought          bool   `json:"thought,omitzero"`
	ThoughtSignature string `json:"thoughtSignature,omitzero"`
}

type geminiData struct {
	MIMEType string `json:"mimeType"`
	Data     string `json:"data,omitzero"`
	FileURI  string `json:"fileUri,omitzero"`
}

type geminiCall struct {
	ID   string  `json:"id,omitzero"`
	Name string  `json:"name"`
	Args acp.Raw `json:"args,omitzero"`
}

type geminiCallResponse struct {
	ID       string             `json:"id"`
	Name     string             `json:"name"`
	Response map[string]acp.Raw `json:"response"`
	Parts    []struct {
		InlineData *geminiData `json:"inlineData"`
		FileData   *geminiData `json:"fileData"`
	} `json:"parts"`
}

func (gemini) read(r *http.Request, body acp.Raw, h *Heard) error {
	path := geminiPath.FindStringSubmatch(r.URL.Path)
	h.Format, h.Model, h.whole = "gemini", path[1], path[2] == "generateContent"
	if r.URL.Query().Get("alt") != "sse" && !(h.whole && h.foreign) {
		return errors.New("modeltest: only alt=sse")
	}
	if r.Header.Get("X-Goog-Api-Key") == "" && !h.keyless {
		return geminiSays("API key not valid. Please pass a valid API key.")
	}
	var request geminiRequest
	if err := json.Unmarshal(body, &request, json.RejectUnknownMembers(!h.foreign)); err != nil {
		return geminiSays("Invalid JSON payload received. %v", err)
	}
	if err := request.check(h.Model); err != nil && !h.foreign {
		return err
	}
	if s := request.SystemInstruction; s != nil {
		h.System = s.said().Text
	}
	for _, c := range request.Contents {
		h.Messages = append(h.Messages, c.said())
	}
	for _, tool := range request.Tools {
		for _, f := range tool.FunctionDeclarations {
			h.Tools = append(h.Tools, f.Name)
			h.Schemas[f.Name] = f.ParametersJSONSchema
		}
	}
	return nil
}

// said is a message as Heard has it.
func (c geminiContent) said() Said {
	said := Said{Role: "user"}
	if c.Role == "model" {
		said.Role = "assistant"
	}
	for _, p := range c.Parts {
		switch {
		case p.FunctionCall != nil:
			said.Calls = append(said.Calls, p.FunctionCall.called())
		case p.FunctionResponse != nil:
			said.Results = append(said.Results, p.FunctionResponse.returned())
		case p.Text != nil && !p.Thought:
			said.Text += *p.Text
		default:
			said.count(p.InlineData)
			said.count(p.FileData)
		}
	}
	return said
}

func (c geminiCall) called() Called {
	called := Called{ID: c.ID, Name: c.Name, Input: "{}"} // absent arguments are none
	if c.Args != nil {
		called.Input = string(c.Args)
	}
	return called
}

// count counts a file.
func (s *Said) count(d *geminiData) {
	switch {
	case d == nil:
	case strings.HasPrefix(d.MIMEType, "image/"):
		s.Images++
	case strings.HasPrefix(d.MIMEType, "audio/"):
		s.Audio++
	}
}

func (r geminiCallResponse) returned() Returned {
	returned := Returned{ID: r.ID, Images: len(r.Parts)}
	output := r.Response["output"]
	if e, ok := r.Response["error"]; ok {
		output, returned.Failed = e, true
	}
	_ = json.Unmarshal(output, &returned.Text)
	return returned
}

// write streams an answer: thoughts, text and calls, and a last chunk that says how it ends.
func (g gemini) write(st *stream, h *Heard, a Answer) {
	if a.Thought != "" {
		st.event("", g.chunk(h, a, "", geminiPart{Text: &a.Thought, Thought: true}))
	}
	if a.Text != "" {
		for word := range st.said(a.Text) {
			if !st.piece(g.failure(st)) {
				return
			}
			st.event("", g.chunk(h, a, "", geminiPart{Text: &word}))
		}
	}
	for i, call := range a.Calls {
		if !g.call(st, h, a, i, call) {
			return
		}
	}
	switch a.Stop {
	case "refusal":
		st.event("", g.chunk(h, a, "SAFETY"))
	case "max_tokens":
		st.event("", g.chunk(h, a, "MAX_TOKENS"))
	default:
		last := geminiPart{Text: new(string)}
		if len(a.Calls) == 0 { // the signature of a text comes late, with no text
			last.ThoughtSignature = geminiSignature(h, "text")
		}
		st.event("", g.chunk(h, a, "STOP", last))
	}
}

// call sends a call, which is in one event; a fault in the middle of the call's input finds half of that sent. Only the
// first of an answer's calls is signed.
func (g gemini) call(st *stream, h *Heard, a Answer, i int, call Called) bool {
	part := geminiPart{FunctionCall: &geminiCall{ID: call.ID, Name: call.Name}}
	if call.Input != "" {
		part.FunctionCall.Args = acp.Raw(call.Input)
	}
	if i == 0 {
		part.ThoughtSignature = geminiSignature(h, call.Name)
	}
	for n := range halves(call.Input) {
		if n == 1 && st.fault.At == st.sent && (st.fault.Cut || st.fault.Silent) {
			fmt.Fprintf(st.w, `data: {"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":%q,"ar`, call.Name)
			_ = http.NewResponseController(st.w).Flush()
		}
		if !st.piece(g.failure(st)) {
			return false
		}
	}
	st.event("", g.chunk(h, a, "", part))
	return true
}

// chunk is an event of an answer.
func (gemini) chunk(h *Heard, a Answer, finish string, parts ...geminiPart) any {
	candidate := map[string]any{"index": 0}
	if len(parts) > 0 {
		candidate["content"] = geminiContent{Role: "model", Parts: parts}
	}
	if finish != "" {
		candidate["finishReason"] = finish
	}
	usage := map[string]any{"promptTokenCount": a.Input, "totalTokenCount": a.Input + a.Output}
	for name, n := range map[string]int{
		"candidatesTokenCount": a.Output - a.Thoughts, "thoughtsTokenCount": a.Thoughts, "cachedContentTokenCount": a.CacheRead,
	} {
		if n > 0 {
			usage[name] = n
		}
	}
	return map[string]any{
		"candidates": []any{candidate}, "usageMetadata": usage, "modelVersion": h.Model, "responseId": "stub-response",
	}
}

// failure sends an error in mid-stream.
func (g gemini) failure(st *stream) func(string) {
	return func(message string) { st.event("", geminiError(http.StatusServiceUnavailable, message)) }
}

// fail answers with an error. Google says in the error how long to wait, not in a header, unless it's a date.
func (gemini) fail(w http.ResponseWriter, f Fault) {
	var details []any
	if _, err := strconv.Atoi(f.RetryAfter); err == nil {
		w.Header().Del("Retry-After")
		details = append(details, map[string]any{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f.RetryAfter + "s"})
	}
	text, err := json.Marshal(geminiError(f.Status, f.Message, details...))
	if err != nil {
		panic(fmt.Sprintf("modeltest: %v", err))
	}
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(f.Status)
	_, _ = w.Write(text)
}

// geminiStatus are Google's names for HTTP statuses.
var geminiStatus = map[int]string{
	400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
	429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED",
}

func geminiError(code int, message string, details ...any) any {
	e := map[string]any{"code": code, "message": message, "status": geminiStatus[code]}
	if len(details) > 0 {
		e["details"] = details
	}
	return map[string]any{"error": e}
}

// geminiSignature is what the server signs a part with. It means something to the model that has made it.
func geminiSignature(h *Heard, what string) string {
	return base64.StdEncoding.EncodeToString([]byte("signed by " + h.Model + ": " + what))
}
