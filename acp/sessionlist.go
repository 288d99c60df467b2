package acp

// A ListSessionsRequest asks for a page of the sessions that the agent has saved. It needs SessionCapabilities.List.
//
// Spec: session-list.
type ListSessionsRequest struct {
	// CWD, an absolute path, asks for the sessions of this working directory only.
	CWD string `json:"cwd,omitzero"`

	// Cursor is the NextCursor of the page before, empty for the first page. Nothing may be read from it.
	Cursor string `json:"cursor,omitzero"`

	// Archived asks for archived sessions too, or only. Empty means SessionArchiveFilterExclude. It stays the same from
	// page to page and needs SessionCapabilities.Archive.
	//
	// Unstable: not part of the specification yet.
	Archived SessionArchiveFilter `json:"archived,omitzero"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A ListSessionsResponse is a page of saved sessions.
type ListSessionsResponse struct {
	Sessions []SessionInfo `json:"sessions" acp:"lenient,skip"`

	// NextCursor asks for the next page. Empty means that this is the last.
	NextCursor string `json:"nextCursor,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A SessionInfo describes a saved session.
type SessionInfo struct {
	SessionID SessionID `json:"sessionId"`

	// CWD is the session's working directory, an absolute path.
	CWD string `json:"cwd"`

	// AdditionalDirectories are all further absolute paths that the session works in, in order.
	AdditionalDirectories []string `json:"additionalDirectories,omitzero" acp:"lenient,skip"`

	// Title says what the session is about, for people.
	Title string `json:"title,omitzero" acp:"lenient"`

	// UpdatedAt is the time of the last activity, in ISO 8601.
	UpdatedAt string `json:"updatedAt,omitzero" acp:"lenient"`

	// Archived says whether the session is archived. Nil means that the agent does not say; one with
	// SessionCapabilities.Archive always does.
	//
	// Unstable: not part of the specification yet.
	Archived *bool `json:"archived,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A SessionArchiveFilter says which sessions session/list answers with. An agent refuses a value that it does not know
// with CodeInvalidParams.
//
// Unstable: not part of the specification yet.
type SessionArchiveFilter string

// The filters by archive state.
const (
	SessionArchiveFilterExclude SessionArchiveFilter = "exclude" // sessions that are not archived; the default
	SessionArchiveFilterInclude SessionArchiveFilter = "include" // both
	SessionArchiveFilterOnly    SessionArchiveFilter = "only"    // archived sessions
)

var sessionArchiveFilters = enum(SessionArchiveFilterExclude, SessionArchiveFilterInclude, SessionArchiveFilterOnly)

// Known reports whether the protocol defines the filter.
func (f SessionArchiveFilter) Known() bool { return sessionArchiveFilters.has(f) }

// A DeleteSessionRequest removes a saved session from the list. It needs SessionCapabilities.Delete.
//
// Spec: session-delete.
type DeleteSessionRequest struct {
	SessionID SessionID `json:"sessionId"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A DeleteSessionResponse says that the session is gone from the list.
type DeleteSessionResponse struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An ArchiveSessionRequest closes a session, if it is open, and hides it from the default list. Its id and history are
// kept, and archiving twice is no error. It needs SessionCapabilities.Archive.
//
// Unstable: not part of the specification yet.
type ArchiveSessionRequest struct {
	SessionID SessionID `json:"sessionId"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An ArchiveSessionResponse says that the session is archived.
//
// Unstable: not part of the specification yet.
type ArchiveSessionResponse struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An UnarchiveSessionRequest brings an archived session back to the default list, without opening it. It needs
// SessionCapabilities.Archive.
//
// Unstable: not part of the specification yet.
type UnarchiveSessionRequest struct {
	SessionID SessionID `json:"sessionId"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An UnarchiveSessionResponse says that the session is back in the list.
//
// Unstable: not part of the specification yet.
type UnarchiveSessionResponse struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A SessionStatusRequest asks whether the agent has a session in memory, without any effect on it. A session that the
// agent does not know is CodeResourceNotFound. It needs SessionCapabilities.Status.
//
// Unstable: not part of the specification yet.
type SessionStatusRequest struct {
	SessionID SessionID `json:"sessionId"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A SessionStatusResponse says whether the agent has a session in memory, at this moment.
//
// Unstable: not part of the specification yet.
type SessionStatusResponse struct {
	Status SessionStatus `json:"status"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A SessionStatus says whether an agent has a session in memory. Treat a value that is not Known as SessionStatusSaved.
//
// Unstable: not part of the specification yet.
type SessionStatus string

// The statuses of a session.
const (
	SessionStatusOpen  SessionStatus = "open"  // in memory, for some connection, which need not be this one
	SessionStatusSaved SessionStatus = "saved" // known, and there to be loaded or resumed
)

var sessionStatuses = enum(SessionStatusOpen, SessionStatusSaved)

// Known reports whether the protocol defines the status.
func (s SessionStatus) Known() bool { return sessionStatuses.has(s) }

// A SetSessionTitleRequest gives a session a title, whether it is open or not. The agent answers when it has stored the
// title and puts none of its own in its place later. It needs SessionCapabilities.Title.
//
// Unstable: not part of the specification yet.
type SetSessionTitleRequest struct {
	SessionID SessionID `json:"sessionId"`

	// Title is the new title. The agent may trim or shorten it; one that is empty then is CodeInvalidParams.
	Title string `json:"title"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A SetSessionTitleResponse says which title was stored.
//
// Unstable: not part of the specification yet.
type SetSessionTitleResponse struct {
	// Title is what to show, rather than what was asked for.
	Title string `json:"title"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}
