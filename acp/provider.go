package acp

// A ProviderID names a provider of models that the client can configure, such as "main".
//
// Unstable: not part of the specification yet.
type ProviderID string

// An LLMProtocol is the API that a provider of models speaks. Names that begin with an underscore are free for
// everybody.
//
// Unstable: not part of the specification yet.
type LLMProtocol string

// The protocols of providers.
const (
	LLMProtocolAnthropic LLMProtocol = "anthropic"
	LLMProtocolOpenAI    LLMProtocol = "openai"
	LLMProtocolAzure     LLMProtocol = "azure"
	LLMProtocolVertex    LLMProtocol = "vertex"
	LLMProtocolBedrock   LLMProtocol = "bedrock"
)

var llmProtocols = enum(LLMProtocolAnthropic, LLMProtocolOpenAI, LLMProtocolAzure, LLMProtocolVertex, LLMProtocolBedrock)

// Known reports whether the protocol defines the name.
func (p LLMProtocol) Known() bool { return llmProtocols.has(p) }

// A ListProvidersRequest asks which providers the client can configure. All providers/* methods need
// AgentCapabilities.Providers.
//
// Unstable: not part of the specification yet.
type ListProvidersRequest struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A ListProvidersResponse is the providers that the client can configure.
//
// Unstable: not part of the specification yet.
type ListProvidersResponse struct {
	Providers []ProviderInfo `json:"providers"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A ProviderInfo describes a provider.
//
// Unstable: not part of the specification yet.
type ProviderInfo struct {
	ProviderID ProviderID `json:"providerId"`

	// Supported are the protocols that the provider can be set to.
	Supported []LLMProtocol `json:"supported" acp:"lenient,skip"`

	// Required says that the provider can't be disabled.
	Required bool `json:"required"`

	// Current is where requests go now; nil if the provider is disabled.
	Current *ProviderCurrentConfig `json:"current,omitzero"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A ProviderCurrentConfig says where a provider's requests go. It has no secrets.
//
// Unstable: not part of the specification yet.
type ProviderCurrentConfig struct {
	APIType LLMProtocol `json:"apiType"`
	BaseURL string      `json:"baseUrl"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A SetProviderRequest replaces all that is configured about a provider.
//
// Unstable: not part of the specification yet.
type SetProviderRequest struct {
	ProviderID ProviderID  `json:"providerId"`
	APIType    LLMProtocol `json:"apiType"`
	BaseURL    string      `json:"baseUrl"`

	// Headers are all headers to send with every request, secrets included.
	Headers map[string]string `json:"headers,omitzero"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A SetProviderResponse says that the provider is configured.
//
// Unstable: not part of the specification yet.
type SetProviderResponse struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A DisableProviderRequest switches a provider off, unless it is required.
//
// Unstable: not part of the specification yet.
type DisableProviderRequest struct {
	ProviderID ProviderID `json:"providerId"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A DisableProviderResponse says that the provider is off.
//
// Unstable: not part of the specification yet.
type DisableProviderResponse struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}
