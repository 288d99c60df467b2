package acp

// A Usage counts the tokens of a turn.
//
// Unstable: not part of the specification yet.
type Usage struct {
	// TotalTokens is the sum of all kinds.
	TotalTokens uint64 `json:"totalTokens"`

	// InputTokens went to the model.
	InputTokens uint64 `json:"inputTokens"`

	// OutputTokens came from the model.
	OutputTokens uint64 `json:"outputTokens"`

	// ThoughtTokens were spent on reasoning; nil if that is not reported.
	ThoughtTokens *uint64 `json:"thoughtTokens,omitzero" acp:"lenient"`

	// CachedReadTokens were read from the provider's cache; nil if that is not reported.
	CachedReadTokens *uint64 `json:"cachedReadTokens,omitzero" acp:"lenient"`

	// CachedWriteTokens were written to the provider's cache; nil if that is not reported.
	CachedWriteTokens *uint64 `json:"cachedWriteTokens,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A UsageUpdate says how full the session's context is and what the session has cost so far.
type UsageUpdate struct {
	// Used is the number of tokens in the context now.
	Used uint64 `json:"used"`

	// Size is the number of tokens that the context can hold.
	Size uint64 `json:"size"`

	// Cost is the sum since the session began; nil if it is not reported.
	Cost *Cost `json:"cost,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A Cost is an amount of money, or of another unit.
type Cost struct {
	Amount float64 `json:"amount"`

	// Currency is the unit: an ISO 4217 code such as "USD", or a word such as "credits".
	Currency string `json:"currency"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}
