package acp

import "reflect"

// The messages whose codecs are reflective, as package jsonrpc likes them: AppendJSON appends one line of JSON, ParseJSON
// reads text that is known to be valid and may keep parts of it, so the text must not change afterwards. Both spare a
// check of the text. The messages that have codecs written by hand are in hot_messages.go.

// parseReflected reads valid text that never changes by the plan of what v points to.
func parseReflected(text []byte, v any) error {
	return decodeByPlan(decoder{alias: true}, text, reflect.ValueOf(v).Elem())
}

func (v ArchiveSessionRequest) AppendJSON(dst []byte) ([]byte, error) {
	return appendReflected(dst, &v)
}
func (v *ArchiveSessionRequest) ParseJSON(text []byte) error { return parseReflected(text, v) }
func (v ArchiveSessionResponse) AppendJSON(dst []byte) ([]byte, error) {
	return appendReflected(dst, &v)
}
func (v *ArchiveSessionResponse) ParseJSON(text []byte) error      { return parseReflected(text, v) }
func (v AuthStatusRequest) AppendJSON(dst []byte) ([]byte, error)  { return appendReflected(dst, &v) }
func (v *AuthStatusRequest) ParseJSON(text []byte) error           { return parseReflected(text, v) }
func (v AuthStatusResponse) AppendJSON(dst []byte) ([]byte, error) { return appendReflected(dst, &v) }
func (v *AuthStatusResponse) ParseJSON(text []byte) error          { return parseReflected(text, v) }
func (v AuthStatusUpdateNotification) AppendJSON(dst []byte) ([]byte, error) {
	return appendReflected(dst, &v)
}
func (v *AuthStatusUpdateNotification) ParseJSON(text []byte) error  { return parseReflected(text, v) }
func (v AuthenticateRequest) AppendJSON(dst []byte) ([]byte, error)  { return appendReflected(dst, &v) }
func (v *AuthenticateRequest) ParseJSON(text []byte) error           { return parseReflected(text, v) }
func (v AuthenticateResponse) AppendJSON(dst []byte) ([]byte, error) { return appendReflected(dst, &v) }
func (v *AuthenticateResponse) ParseJSON(text []byte) error          { return parseReflected(text, v) }
func (v CancelNotification) AppendJSON(dst []byte) ([]byte, error)   { return appendReflected(dst, &v) }
func (v *CancelNotification) ParseJSON(text []byte) error            { return parseReflected(text, v) }
func (v CancelRequestNotification) AppendJSON(dst []byte) ([]byte, error) {
	return appendReflected(dst, &v)
}
func (v *CancelRequestNotification) ParseJSON(text []byte) error     { return parseReflected(text, v) }
func (v CloseSessionRequest) AppendJSON(dst []byte) ([]byte, error)  { return appendReflected(dst, &v) }
func (v *CloseSessionRequest) ParseJSON(text []byte) error           { return parseReflected(text, v) }
func (v CloseSessionResponse) AppendJSON(dst []byte) ([]byte, error) { return appendReflected(dst, &v) }
func (v *CloseSessionResponse) ParseJSON(text []byte) error          { return parseReflected(text, v) }
func (v CompleteElicitationNotification) AppendJSON(dst []byte) ([]byte, error) {
	return appendReflected(dst, &v)
}
func (v *CompleteElicitationNotification) ParseJSON(text []byte) error {
	return parseReflected(text, v)
}
func (v CreateElicitationRequest) AppendJSON(dst []byte) ([]byte, error) {
	return appendReflected(dst, &v)
}
func (v *CreateElicitationRequest) ParseJSON(text []byte) error { return parseReflected(text, v) }
func (v CreateElicitationResponse) AppendJSON(dst []byte) ([]byte, error) {
	return appendReflected(dst, &v)
}
func (v *CreateElicitationResponse) ParseJSON(text []byte) error { return parseReflected(text, v) }
func (v CreateTerminalRequest) AppendJSON(dst []byte) ([]byte, error) {
	return appendReflected(dst, &v)
}
func (v *CreateTerminalRequest) ParseJSON(text []byte) error { return parseReflected(text, v) }
func (v CreateTerminalResponse) AppendJSON(dst []byte) ([]byte, error) {
	return appendReflected(dst, &v)
}
func (v *CreateTerminalResponse) ParseJSON(text []byte) error        { return parseReflected(text, v) }
func (v DeleteSessionRequest) AppendJSON(dst []byte) ([]byte, error) { return appendReflected(dst, &v) }
func (v *DeleteSessionRequest) ParseJSON(text []byte) error          { return parseReflected(text, v) }
func (v DeleteSessionResponse) AppendJSON(dst []byte) ([]byte, error) {
	return appendReflected(dst, &v)
}
func (v *DeleteSessionResponse) ParseJSON(text []byte) error { return parseReflected(text, v) }
func (v DisableProviderRequest) AppendJSON(dst []byte) ([]byte, error) {
	return appendReflected(dst, &v)
}
func (v *DisableProviderRequest) ParseJSON(text []byte) error { return parseReflected(text, v) }
func (v DisableProviderResponse) AppendJSON(dst []byte) ([]byte, error) {
	return appendReflected(dst, &v)
}
func (v *DisableProviderResponse) ParseJSON(text []byte) error       { return parseReflected(text, v) }
func (v ForkSessionRequest) AppendJSON(dst []byte) ([]byte, error)   { return appendReflected(dst, &v) }
func (v *ForkSessionRequest) ParseJSON(text []byte) error            { return parseReflected(text, v) }
func (v ForkSessionResponse) AppendJSON(dst []byte) ([]byte, error)  { return appendReflected(dst, &v) }
func (v *ForkSessionResponse) ParseJSON(text []byte) error           { return parseReflected(text, v) }
func (v InitializeRequest) AppendJSON(dst []byte) ([]byte, error)    { return appendReflected(dst, &v) }
func (v *InitializeRequest) ParseJSON(text []byte) error             { return parseReflected(text, v) }
func (v InitializeResponse) AppendJSON(dst []byte) ([]byte, error)   { return appendReflected(dst, &v) }
func (v *InitializeResponse) ParseJSON(text []byte) error            { return parseReflected(text, v) }
func (v KillTerminalRequest) AppendJSON(dst []byte) ([]byte, error)  { return appendReflected(dst, &v) }
func (v *KillTerminalRequest) ParseJSON(text []byte) error           { return parseReflected(text, v) }
func (v KillTerminalResponse) AppendJSON(dst []byte) ([]byte, error) { return appendReflected(dst, &v) }
func (v *KillTerminalResponse) ParseJSON(text []byte) error          { return parseReflected(text, v) }
func (v ListProvidersRequest) AppendJSON(dst []byte) ([]byte, error) { return appendReflected(dst, &v) }
func (v *ListProvidersRequest) ParseJSON(text []byte) error          { return parseReflected(text, v) }
func (v ListProvidersResponse) AppendJSON(dst []byte) ([]byte, error) {
	return appendReflected(dst, &v)
}
func (v *ListProvidersResponse) ParseJSON(text []byte) error         { return parseReflected(text, v) }
func (v ListSessionsRequest) AppendJSON(dst []byte) ([]byte, error)  { return appendReflected(dst, &v) }
func (v *ListSessionsRequest) ParseJSON(text []byte) error           { return parseReflected(text, v) }
func (v ListSessionsResponse) AppendJSON(dst []byte) ([]byte, error) { return appendReflected(dst, &v) }
func (v *ListSessionsResponse) ParseJSON(text []byte) error          { return parseReflected(text, v) }
func (v LoadSessionRequest) AppendJSON(dst []byte) ([]byte, error)   { return appendReflected(dst, &v) }
func (v *LoadSessionRequest) ParseJSON(text []byte) error            { return parseReflected(text, v) }
func (v LoadSessionResponse) AppendJSON(dst []byte) ([]byte, error)  { return appendReflected(dst, &v) }
func (v *LoadSessionResponse) ParseJSON(text []byte) error           { return parseReflected(text, v) }
func (v LogoutRequest) AppendJSON(dst []byte) ([]byte, error)        { return appendReflected(dst, &v) }
func (v *LogoutRequest) ParseJSON(text []byte) error                 { return parseReflected(text, v) }
func (v LogoutResponse) AppendJSON(dst []byte) ([]byte, error)       { return appendReflected(dst, &v) }
func (v *LogoutResponse) ParseJSON(text []byte) error                { return parseReflected(text, v) }
func (v MessageMCPNotification) AppendJSON(dst []byte) ([]byte, error) {
	return appendReflected(dst, &v)
}
func (v *MessageMCPNotification) ParseJSON(text []byte) error      { return parseReflected(text, v) }
func (v MessageMCPRequest) AppendJSON(dst []byte) ([]byte, error)  { return appendReflected(dst, &v) }
func (v *MessageMCPRequest) ParseJSON(text []byte) error           { return parseReflected(text, v) }
func (v MessageMCPResponse) AppendJSON(dst []byte) ([]byte, error) { return appendReflected(dst, &v) }
func (v *MessageMCPResponse) ParseJSON(text []byte) error          { return parseReflected(text, v) }
func (v NewSessionRequest) AppendJSON(dst []byte) ([]byte, error)  { return appendReflected(dst, &v) }
func (v *NewSessionRequest) ParseJSON(text []byte) error           { return parseReflected(text, v) }
func (v NewSessionResponse) AppendJSON(dst []byte) ([]byte, error) { return appendReflected(dst, &v) }
func (v *NewSessionResponse) ParseJSON(text []byte) error          { return parseReflected(text, v) }
func (v ProxySuccessorNotification) AppendJSON(dst []byte) ([]byte, error) {
	return appendReflected(dst, &v)
}
func (v *ProxySuccessorNotification) ParseJSON(text []byte) error { return parseReflected(text, v) }
func (v ProxySuccessorRequest) AppendJSON(dst []byte) ([]byte, error) {
	return appendReflected(dst, &v)
}
func (v *ProxySuccessorRequest) ParseJSON(text []byte) error         { return parseReflected(text, v) }
func (v ReadTextFileRequest) AppendJSON(dst []byte) ([]byte, error)  { return appendReflected(dst, &v) }
func (v *ReadTextFileRequest) ParseJSON(text []byte) error           { return parseReflected(text, v) }
func (v ReadTextFileResponse) AppendJSON(dst []byte) ([]byte, error) { return appendReflected(dst, &v) }
func (v *ReadTextFileResponse) ParseJSON(text []byte) error          { return parseReflected(text, v) }
func (v ReleaseTerminalRequest) AppendJSON(dst []byte) ([]byte, error) {
	return appendReflected(dst, &v)
}
func (v *ReleaseTerminalRequest) ParseJSON(text []byte) error { return parseReflected(text, v) }
func (v ReleaseTerminalResponse) AppendJSON(dst []byte) ([]byte, error) {
	return appendReflected(dst, &v)
}
func (v *ReleaseTerminalResponse) ParseJSON(text []byte) error       { return parseReflected(text, v) }
func (v ResumeSessionRequest) AppendJSON(dst []byte) ([]byte, error) { return appendReflected(dst, &v) }
func (v *ResumeSessionRequest) ParseJSON(text []byte) error          { return parseReflected(text, v) }
func (v ResumeSessionResponse) AppendJSON(dst []byte) ([]byte, error) {
	return appendReflected(dst, &v)
}
func (v *ResumeSessionResponse) ParseJSON(text []byte) error         { return parseReflected(text, v) }
func (v SessionStatusRequest) AppendJSON(dst []byte) ([]byte, error) { return appendReflected(dst, &v) }
func (v *SessionStatusRequest) ParseJSON(text []byte) error          { return parseReflected(text, v) }
func (v SessionStatusResponse) AppendJSON(dst []byte) ([]byte, error) {
	return appendReflected(dst, &v)
}
func (v *SessionStatusResponse) ParseJSON(text []byte) error        { return parseReflected(text, v) }
func (v SetProviderRequest) AppendJSON(dst []byte) ([]byte, error)  { return appendReflected(dst, &v) }
func (v *SetProviderRequest) ParseJSON(text []byte) error           { return parseReflected(text, v) }
func (v SetProviderResponse) AppendJSON(dst []byte) ([]byte, error) { return appendReflected(dst, &v) }
func (v *SetProviderResponse) ParseJSON(text []byte) error          { return parseReflected(text, v) }
func (v SetSessionConfigOptionRequest) AppendJSON(dst []byte) ([]byte, error) {
	return appendReflected(dst, &v)
}
func (v *SetSessionConfigOptionRequest) ParseJSON(text []byte) error { return parseReflected(text, v) }
func (v SetSessionConfigOptionResponse) AppendJSON(dst []byte) ([]byte, error) {
	return appendReflected(dst, &v)
}
func (v *SetSessionConfigOptionResponse) ParseJSON(text []byte) error { return parseReflected(text, v) }
func (v SetSessionModeRequest) AppendJSON(dst []byte) ([]byte, error) {
	return appendReflected(dst, &v)
}
func (v *SetSessionModeRequest) ParseJSON(text []byte) error { return parseReflected(text, v) }
func (v SetSessionModeResponse) AppendJSON(dst []byte) ([]byte, error) {
	return appendReflected(dst, &v)
}
func (v *SetSessionModeResponse) ParseJSON(text []byte) error { return parseReflected(text, v) }
func (v SetSessionTitleRequest) AppendJSON(dst []byte) ([]byte, error) {
	return appendReflected(dst, &v)
}
func (v *SetSessionTitleRequest) ParseJSON(text []byte) error { return parseReflected(text, v) }
func (v SetSessionTitleResponse) AppendJSON(dst []byte) ([]byte, error) {
	return appendReflected(dst, &v)
}
func (v *SetSessionTitleResponse) ParseJSON(text []byte) error { return parseReflected(text, v) }
func (v TerminalOutputRequest) AppendJSON(dst []byte) ([]byte, error) {
	return appendReflected(dst, &v)
}
func (v *TerminalOutputRequest) ParseJSON(text []byte) error { return parseReflected(text, v) }
func (v TerminalOutputResponse) AppendJSON(dst []byte) ([]byte, error) {
	return appendReflected(dst, &v)
}
func (v *TerminalOutputResponse) ParseJSON(text []byte) error { return parseReflected(text, v) }
func (v UnarchiveSessionRequest) AppendJSON(dst []byte) ([]byte, error) {
	return appendReflected(dst, &v)
}
func (v *UnarchiveSessionRequest) ParseJSON(text []byte) error { return parseReflected(text, v) }
func (v UnarchiveSessionResponse) AppendJSON(dst []byte) ([]byte, error) {
	return appendReflected(dst, &v)
}
func (v *UnarchiveSessionResponse) ParseJSON(text []byte) error { return parseReflected(text, v) }
func (v WaitForTerminalExitRequest) AppendJSON(dst []byte) ([]byte, error) {
	return appendReflected(dst, &v)
}
func (v *WaitForTerminalExitRequest) ParseJSON(text []byte) error { return parseReflected(text, v) }
func (v WaitForTerminalExitResponse) AppendJSON(dst []byte) ([]byte, error) {
	return appendReflected(dst, &v)
}
func (v *WaitForTerminalExitResponse) ParseJSON(text []byte) error   { return parseReflected(text, v) }
func (v WriteTextFileRequest) AppendJSON(dst []byte) ([]byte, error) { return appendReflected(dst, &v) }
func (v *WriteTextFileRequest) ParseJSON(text []byte) error          { return parseReflected(text, v) }
func (v WriteTextFileResponse) AppendJSON(dst []byte) ([]byte, error) {
	return appendReflected(dst, &v)
}
func (v *WriteTextFileResponse) ParseJSON(text []byte) error { return parseReflected(text, v) }
