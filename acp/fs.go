package acp

// A ReadTextFileRequest asks the client for a text file, with what the user has not saved yet. It needs
// FileSystemCapabilities.ReadTextFile.
//
// Spec: file-system#reading-files.
type ReadTextFileRequest struct {
	SessionID SessionID `json:"sessionId"`

	// Path is an absolute path.
	Path string `json:"path"`

	// Line is the first line to read, counted from 1; nil means the first.
	Line *uint32 `json:"line,omitzero"`

	// Limit is the most lines to read; nil means all.
	Limit *uint32 `json:"limit,omitzero"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A ReadTextFileResponse is the text that was asked for.
type ReadTextFileResponse struct {
	Content string `json:"content"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A WriteTextFileRequest has the client write a text file, which it makes if need be. It needs
// FileSystemCapabilities.WriteTextFile.
//
// Spec: file-system#writing-files.
type WriteTextFileRequest struct {
	SessionID SessionID `json:"sessionId"`

	// Path is an absolute path.
	Path string `json:"path"`

	// Content is the whole text of the file.
	Content string `json:"content"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A WriteTextFileResponse says that the file is written.
type WriteTextFileResponse struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}
