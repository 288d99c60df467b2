package acp

// The JSON methods of every type, so that the standard encoding/json and go-json-experiment read and write them alike.
// SessionConfigSelectOptions and ElicitationContentValue, which are no objects, have theirs beside them.

func (v AgentAuthCapabilities) MarshalJSON() ([]byte, error)                    { return marshal(&v) }
func (v *AgentAuthCapabilities) UnmarshalJSON(b []byte) error                   { return unmarshal(b, v) }
func (v AgentCapabilities) MarshalJSON() ([]byte, error)                        { return marshal(&v) }
func (v *AgentCapabilities) UnmarshalJSON(b []byte) error                       { return unmarshal(b, v) }
func (v AgentMessageChunk) MarshalJSON() ([]byte, error)                        { return marshal(&v) }
func (v *AgentMessageChunk) UnmarshalJSON(b []byte) error                       { return unmarshal(b, v) }
func (v AgentThoughtChunk) MarshalJSON() ([]byte, error)                        { return marshal(&v) }
func (v *AgentThoughtChunk) UnmarshalJSON(b []byte) error                       { return unmarshal(b, v) }
func (v Annotations) MarshalJSON() ([]byte, error)                              { return marshal(&v) }
func (v *Annotations) UnmarshalJSON(b []byte) error                             { return unmarshal(b, v) }
func (v ArchiveSessionRequest) MarshalJSON() ([]byte, error)                    { return marshal(&v) }
func (v *ArchiveSessionRequest) UnmarshalJSON(b []byte) error                   { return unmarshal(b, v) }
func (v ArchiveSessionResponse) MarshalJSON() ([]byte, error)                   { return marshal(&v) }
func (v *ArchiveSessionResponse) UnmarshalJSON(b []byte) error                  { return unmarshal(b, v) }
func (v AudioContent) MarshalJSON() ([]byte, error)                             { return marshal(&v) }
func (v *AudioContent) UnmarshalJSON(b []byte) error                            { return unmarshal(b, v) }
func (v AuthAccount) MarshalJSON() ([]byte, error)                              { return marshal(&v) }
func (v *AuthAccount) UnmarshalJSON(b []byte) error                             { return unmarshal(b, v) }
func (v AuthCapabilities) MarshalJSON() ([]byte, error)                         { return marshal(&v) }
func (v *AuthCapabilities) UnmarshalJSON(b []byte) error                        { return unmarshal(b, v) }
func (v AuthMethodAgent) MarshalJSON() ([]byte, error)                          { return marshal(&v) }
func (v *AuthMethodAgent) UnmarshalJSON(b []byte) error                         { return unmarshal(b, v) }
func (v AuthMethodTerminal) MarshalJSON() ([]byte, error)                       { return marshal(&v) }
func (v *AuthMethodTerminal) UnmarshalJSON(b []byte) error                      { return unmarshal(b, v) }
func (v AuthStatusCapabilities) MarshalJSON() ([]byte, error)                   { return marshal(&v) }
func (v *AuthStatusCapabilities) UnmarshalJSON(b []byte) error                  { return unmarshal(b, v) }
func (v AuthStatusRequest) MarshalJSON() ([]byte, error)                        { return marshal(&v) }
func (v *AuthStatusRequest) UnmarshalJSON(b []byte) error                       { return unmarshal(b, v) }
func (v AuthStatusResponse) MarshalJSON() ([]byte, error)                       { return marshal(&v) }
func (v *AuthStatusResponse) UnmarshalJSON(b []byte) error                      { return unmarshal(b, v) }
func (v AuthStatusUpdateNotification) MarshalJSON() ([]byte, error)             { return marshal(&v) }
func (v *AuthStatusUpdateNotification) UnmarshalJSON(b []byte) error            { return unmarshal(b, v) }
func (v AuthenticateRequest) MarshalJSON() ([]byte, error)                      { return marshal(&v) }
func (v *AuthenticateRequest) UnmarshalJSON(b []byte) error                     { return unmarshal(b, v) }
func (v AuthenticateResponse) MarshalJSON() ([]byte, error)                     { return marshal(&v) }
func (v *AuthenticateResponse) UnmarshalJSON(b []byte) error                    { return unmarshal(b, v) }
func (v AvailableCommand) MarshalJSON() ([]byte, error)                         { return marshal(&v) }
func (v *AvailableCommand) UnmarshalJSON(b []byte) error                        { return unmarshal(b, v) }
func (v AvailableCommandsUpdate) MarshalJSON() ([]byte, error)                  { return marshal(&v) }
func (v *AvailableCommandsUpdate) UnmarshalJSON(b []byte) error                 { return unmarshal(b, v) }
func (v BlobResourceContents) MarshalJSON() ([]byte, error)                     { return marshal(&v) }
func (v *BlobResourceContents) UnmarshalJSON(b []byte) error                    { return unmarshal(b, v) }
func (v BooleanConfigOptionCapabilities) MarshalJSON() ([]byte, error)          { return marshal(&v) }
func (v *BooleanConfigOptionCapabilities) UnmarshalJSON(b []byte) error         { return unmarshal(b, v) }
func (v BooleanPropertySchema) MarshalJSON() ([]byte, error)                    { return marshal(&v) }
func (v *BooleanPropertySchema) UnmarshalJSON(b []byte) error                   { return unmarshal(b, v) }
func (v CancelNotification) MarshalJSON() ([]byte, error)                       { return marshal(&v) }
func (v *CancelNotification) UnmarshalJSON(b []byte) error                      { return unmarshal(b, v) }
func (v CancelRequestNotification) MarshalJSON() ([]byte, error)                { return marshal(&v) }
func (v *CancelRequestNotification) UnmarshalJSON(b []byte) error               { return unmarshal(b, v) }
func (v CancelledPermissionOutcome) MarshalJSON() ([]byte, error)               { return marshal(&v) }
func (v *CancelledPermissionOutcome) UnmarshalJSON(b []byte) error              { return unmarshal(b, v) }
func (v ClientCapabilities) MarshalJSON() ([]byte, error)                       { return marshal(&v) }
func (v *ClientCapabilities) UnmarshalJSON(b []byte) error                      { return unmarshal(b, v) }
func (v ClientSessionCapabilities) MarshalJSON() ([]byte, error)                { return marshal(&v) }
func (v *ClientSessionCapabilities) UnmarshalJSON(b []byte) error               { return unmarshal(b, v) }
func (v CloseSessionRequest) MarshalJSON() ([]byte, error)                      { return marshal(&v) }
func (v *CloseSessionRequest) UnmarshalJSON(b []byte) error                     { return unmarshal(b, v) }
func (v CloseSessionResponse) MarshalJSON() ([]byte, error)                     { return marshal(&v) }
func (v *CloseSessionResponse) UnmarshalJSON(b []byte) error                    { return unmarshal(b, v) }
func (v CompactionCapabilities) MarshalJSON() ([]byte, error)                   { return marshal(&v) }
func (v *CompactionCapabilities) UnmarshalJSON(b []byte) error                  { return unmarshal(b, v) }
func (v CompactionSummaryChunk) MarshalJSON() ([]byte, error)                   { return marshal(&v) }
func (v *CompactionSummaryChunk) UnmarshalJSON(b []byte) error                  { return unmarshal(b, v) }
func (v CompactionUpdate) MarshalJSON() ([]byte, error)                         { return marshal(&v) }
func (v *CompactionUpdate) UnmarshalJSON(b []byte) error                        { return unmarshal(b, v) }
func (v CompleteElicitationNotification) MarshalJSON() ([]byte, error)          { return marshal(&v) }
func (v *CompleteElicitationNotification) UnmarshalJSON(b []byte) error         { return unmarshal(b, v) }
func (v ConfigOptionUpdate) MarshalJSON() ([]byte, error)                       { return marshal(&v) }
func (v *ConfigOptionUpdate) UnmarshalJSON(b []byte) error                      { return unmarshal(b, v) }
func (v Content) MarshalJSON() ([]byte, error)                                  { return marshal(&v) }
func (v *Content) UnmarshalJSON(b []byte) error                                 { return unmarshal(b, v) }
func (v Cost) MarshalJSON() ([]byte, error)                                     { return marshal(&v) }
func (v *Cost) UnmarshalJSON(b []byte) error                                    { return unmarshal(b, v) }
func (v CreateElicitationRequest) MarshalJSON() ([]byte, error)                 { return marshal(&v) }
func (v *CreateElicitationRequest) UnmarshalJSON(b []byte) error                { return unmarshal(b, v) }
func (v CreateElicitationResponse) MarshalJSON() ([]byte, error)                { return marshal(&v) }
func (v *CreateElicitationResponse) UnmarshalJSON(b []byte) error               { return unmarshal(b, v) }
func (v CreateTerminalRequest) MarshalJSON() ([]byte, error)                    { return marshal(&v) }
func (v *CreateTerminalRequest) UnmarshalJSON(b []byte) error                   { return unmarshal(b, v) }
func (v CreateTerminalResponse) MarshalJSON() ([]byte, error)                   { return marshal(&v) }
func (v *CreateTerminalResponse) UnmarshalJSON(b []byte) error                  { return unmarshal(b, v) }
func (v CurrentModeUpdate) MarshalJSON() ([]byte, error)                        { return marshal(&v) }
func (v *CurrentModeUpdate) UnmarshalJSON(b []byte) error                       { return unmarshal(b, v) }
func (v DeleteSessionRequest) MarshalJSON() ([]byte, error)                     { return marshal(&v) }
func (v *DeleteSessionRequest) UnmarshalJSON(b []byte) error                    { return unmarshal(b, v) }
func (v DeleteSessionResponse) MarshalJSON() ([]byte, error)                    { return marshal(&v) }
func (v *DeleteSessionResponse) UnmarshalJSON(b []byte) error                   { return unmarshal(b, v) }
func (v Diff) MarshalJSON() ([]byte, error)                                     { return marshal(&v) }
func (v *Diff) UnmarshalJSON(b []byte) error                                    { return unmarshal(b, v) }
func (v DisableProviderRequest) MarshalJSON() ([]byte, error)                   { return marshal(&v) }
func (v *DisableProviderRequest) UnmarshalJSON(b []byte) error                  { return unmarshal(b, v) }
func (v DisableProviderResponse) MarshalJSON() ([]byte, error)                  { return marshal(&v) }
func (v *DisableProviderResponse) UnmarshalJSON(b []byte) error                 { return unmarshal(b, v) }
func (v ElicitationAcceptAction) MarshalJSON() ([]byte, error)                  { return marshal(&v) }
func (v *ElicitationAcceptAction) UnmarshalJSON(b []byte) error                 { return unmarshal(b, v) }
func (v ElicitationCancelAction) MarshalJSON() ([]byte, error)                  { return marshal(&v) }
func (v *ElicitationCancelAction) UnmarshalJSON(b []byte) error                 { return unmarshal(b, v) }
func (v ElicitationCapabilities) MarshalJSON() ([]byte, error)                  { return marshal(&v) }
func (v *ElicitationCapabilities) UnmarshalJSON(b []byte) error                 { return unmarshal(b, v) }
func (v ElicitationDeclineAction) MarshalJSON() ([]byte, error)                 { return marshal(&v) }
func (v *ElicitationDeclineAction) UnmarshalJSON(b []byte) error                { return unmarshal(b, v) }
func (v ElicitationFormCapabilities) MarshalJSON() ([]byte, error)              { return marshal(&v) }
func (v *ElicitationFormCapabilities) UnmarshalJSON(b []byte) error             { return unmarshal(b, v) }
func (v ElicitationFormMode) MarshalJSON() ([]byte, error)                      { return marshal(&v) }
func (v *ElicitationFormMode) UnmarshalJSON(b []byte) error                     { return unmarshal(b, v) }
func (v ElicitationRequestScope) MarshalJSON() ([]byte, error)                  { return marshal(&v) }
func (v *ElicitationRequestScope) UnmarshalJSON(b []byte) error                 { return unmarshal(b, v) }
func (v ElicitationSchema) MarshalJSON() ([]byte, error)                        { return marshal(&v) }
func (v *ElicitationSchema) UnmarshalJSON(b []byte) error                       { return unmarshal(b, v) }
func (v ElicitationSessionScope) MarshalJSON() ([]byte, error)                  { return marshal(&v) }
func (v *ElicitationSessionScope) UnmarshalJSON(b []byte) error                 { return unmarshal(b, v) }
func (v ElicitationURLCapabilities) MarshalJSON() ([]byte, error)               { return marshal(&v) }
func (v *ElicitationURLCapabilities) UnmarshalJSON(b []byte) error              { return unmarshal(b, v) }
func (v ElicitationURLMode) MarshalJSON() ([]byte, error)                       { return marshal(&v) }
func (v *ElicitationURLMode) UnmarshalJSON(b []byte) error                      { return unmarshal(b, v) }
func (v EmbeddedResource) MarshalJSON() ([]byte, error)                         { return marshal(&v) }
func (v *EmbeddedResource) UnmarshalJSON(b []byte) error                        { return unmarshal(b, v) }
func (v EnumOption) MarshalJSON() ([]byte, error)                               { return marshal(&v) }
func (v *EnumOption) UnmarshalJSON(b []byte) error                              { return unmarshal(b, v) }
func (v EnvVariable) MarshalJSON() ([]byte, error)                              { return marshal(&v) }
func (v *EnvVariable) UnmarshalJSON(b []byte) error                             { return unmarshal(b, v) }
func (v FileSystemCapabilities) MarshalJSON() ([]byte, error)                   { return marshal(&v) }
func (v *FileSystemCapabilities) UnmarshalJSON(b []byte) error                  { return unmarshal(b, v) }
func (v ForkSessionRequest) MarshalJSON() ([]byte, error)                       { return marshal(&v) }
func (v *ForkSessionRequest) UnmarshalJSON(b []byte) error                      { return unmarshal(b, v) }
func (v ForkSessionResponse) MarshalJSON() ([]byte, error)                      { return marshal(&v) }
func (v *ForkSessionResponse) UnmarshalJSON(b []byte) error                     { return unmarshal(b, v) }
func (v HTTPHeader) MarshalJSON() ([]byte, error)                               { return marshal(&v) }
func (v *HTTPHeader) UnmarshalJSON(b []byte) error                              { return unmarshal(b, v) }
func (v IdleStateUpdate) MarshalJSON() ([]byte, error)                          { return marshal(&v) }
func (v *IdleStateUpdate) UnmarshalJSON(b []byte) error                         { return unmarshal(b, v) }
func (v ImageContent) MarshalJSON() ([]byte, error)                             { return marshal(&v) }
func (v *ImageContent) UnmarshalJSON(b []byte) error                            { return unmarshal(b, v) }
func (v Implementation) MarshalJSON() ([]byte, error)                           { return marshal(&v) }
func (v *Implementation) UnmarshalJSON(b []byte) error                          { return unmarshal(b, v) }
func (v InitializeRequest) MarshalJSON() ([]byte, error)                        { return marshal(&v) }
func (v *InitializeRequest) UnmarshalJSON(b []byte) error                       { return unmarshal(b, v) }
func (v InitializeResponse) MarshalJSON() ([]byte, error)                       { return marshal(&v) }
func (v *InitializeResponse) UnmarshalJSON(b []byte) error                      { return unmarshal(b, v) }
func (v IntegerPropertySchema) MarshalJSON() ([]byte, error)                    { return marshal(&v) }
func (v *IntegerPropertySchema) UnmarshalJSON(b []byte) error                   { return unmarshal(b, v) }
func (v KillTerminalRequest) MarshalJSON() ([]byte, error)                      { return marshal(&v) }
func (v *KillTerminalRequest) UnmarshalJSON(b []byte) error                     { return unmarshal(b, v) }
func (v KillTerminalResponse) MarshalJSON() ([]byte, error)                     { return marshal(&v) }
func (v *KillTerminalResponse) UnmarshalJSON(b []byte) error                    { return unmarshal(b, v) }
func (v ListProvidersRequest) MarshalJSON() ([]byte, error)                     { return marshal(&v) }
func (v *ListProvidersRequest) UnmarshalJSON(b []byte) error                    { return unmarshal(b, v) }
func (v ListProvidersResponse) MarshalJSON() ([]byte, error)                    { return marshal(&v) }
func (v *ListProvidersResponse) UnmarshalJSON(b []byte) error                   { return unmarshal(b, v) }
func (v ListSessionsRequest) MarshalJSON() ([]byte, error)                      { return marshal(&v) }
func (v *ListSessionsRequest) UnmarshalJSON(b []byte) error                     { return unmarshal(b, v) }
func (v ListSessionsResponse) MarshalJSON() ([]byte, error)                     { return marshal(&v) }
func (v *ListSessionsResponse) UnmarshalJSON(b []byte) error                    { return unmarshal(b, v) }
func (v LoadSessionRequest) MarshalJSON() ([]byte, error)                       { return marshal(&v) }
func (v *LoadSessionRequest) UnmarshalJSON(b []byte) error                      { return unmarshal(b, v) }
func (v LoadSessionResponse) MarshalJSON() ([]byte, error)                      { return marshal(&v) }
func (v *LoadSessionResponse) UnmarshalJSON(b []byte) error                     { return unmarshal(b, v) }
func (v LogoutCapabilities) MarshalJSON() ([]byte, error)                       { return marshal(&v) }
func (v *LogoutCapabilities) UnmarshalJSON(b []byte) error                      { return unmarshal(b, v) }
func (v LogoutRequest) MarshalJSON() ([]byte, error)                            { return marshal(&v) }
func (v *LogoutRequest) UnmarshalJSON(b []byte) error                           { return unmarshal(b, v) }
func (v LogoutResponse) MarshalJSON() ([]byte, error)                           { return marshal(&v) }
func (v *LogoutResponse) UnmarshalJSON(b []byte) error                          { return unmarshal(b, v) }
func (v MCPCapabilities) MarshalJSON() ([]byte, error)                          { return marshal(&v) }
func (v *MCPCapabilities) UnmarshalJSON(b []byte) error                         { return unmarshal(b, v) }
func (v MCPError) MarshalJSON() ([]byte, error)                                 { return marshal(&v) }
func (v *MCPError) UnmarshalJSON(b []byte) error                                { return unmarshal(b, v) }
func (v MCPFailure) MarshalJSON() ([]byte, error)                               { return marshal(&v) }
func (v *MCPFailure) UnmarshalJSON(b []byte) error                              { return unmarshal(b, v) }
func (v MCPResult) MarshalJSON() ([]byte, error)                                { return marshal(&v) }
func (v *MCPResult) UnmarshalJSON(b []byte) error                               { return unmarshal(b, v) }
func (v MCPServerACP) MarshalJSON() ([]byte, error)                             { return marshal(&v) }
func (v *MCPServerACP) UnmarshalJSON(b []byte) error                            { return unmarshal(b, v) }
func (v MCPServerHTTP) MarshalJSON() ([]byte, error)                            { return marshal(&v) }
func (v *MCPServerHTTP) UnmarshalJSON(b []byte) error                           { return unmarshal(b, v) }
func (v MCPServerSSE) MarshalJSON() ([]byte, error)                             { return marshal(&v) }
func (v *MCPServerSSE) UnmarshalJSON(b []byte) error                            { return unmarshal(b, v) }
func (v MCPServerStdio) MarshalJSON() ([]byte, error)                           { return marshal(&v) }
func (v *MCPServerStdio) UnmarshalJSON(b []byte) error                          { return unmarshal(b, v) }
func (v MessageMCPNotification) MarshalJSON() ([]byte, error)                   { return marshal(&v) }
func (v *MessageMCPNotification) UnmarshalJSON(b []byte) error                  { return unmarshal(b, v) }
func (v MessageMCPRequest) MarshalJSON() ([]byte, error)                        { return marshal(&v) }
func (v *MessageMCPRequest) UnmarshalJSON(b []byte) error                       { return unmarshal(b, v) }
func (v MessageMCPResponse) MarshalJSON() ([]byte, error)                       { return marshal(&v) }
func (v *MessageMCPResponse) UnmarshalJSON(b []byte) error                      { return unmarshal(b, v) }
func (v MultiSelectPropertySchema) MarshalJSON() ([]byte, error)                { return marshal(&v) }
func (v *MultiSelectPropertySchema) UnmarshalJSON(b []byte) error               { return unmarshal(b, v) }
func (v NewSessionRequest) MarshalJSON() ([]byte, error)                        { return marshal(&v) }
func (v *NewSessionRequest) UnmarshalJSON(b []byte) error                       { return unmarshal(b, v) }
func (v NewSessionResponse) MarshalJSON() ([]byte, error)                       { return marshal(&v) }
func (v *NewSessionResponse) UnmarshalJSON(b []byte) error                      { return unmarshal(b, v) }
func (v Notice) MarshalJSON() ([]byte, error)                                   { return marshal(&v) }
func (v *Notice) UnmarshalJSON(b []byte) error                                  { return unmarshal(b, v) }
func (v NoticeCapabilities) MarshalJSON() ([]byte, error)                       { return marshal(&v) }
func (v *NoticeCapabilities) UnmarshalJSON(b []byte) error                      { return unmarshal(b, v) }
func (v NumberPropertySchema) MarshalJSON() ([]byte, error)                     { return marshal(&v) }
func (v *NumberPropertySchema) UnmarshalJSON(b []byte) error                    { return unmarshal(b, v) }
func (v OtherStateUpdate) MarshalJSON() ([]byte, error)                         { return marshal(&v) }
func (v *OtherStateUpdate) UnmarshalJSON(b []byte) error                        { return unmarshal(b, v) }
func (v PermissionOption) MarshalJSON() ([]byte, error)                         { return marshal(&v) }
func (v *PermissionOption) UnmarshalJSON(b []byte) error                        { return unmarshal(b, v) }
func (v Plan) MarshalJSON() ([]byte, error)                                     { return marshal(&v) }
func (v *Plan) UnmarshalJSON(b []byte) error                                    { return unmarshal(b, v) }
func (v PlanCapabilities) MarshalJSON() ([]byte, error)                         { return marshal(&v) }
func (v *PlanCapabilities) UnmarshalJSON(b []byte) error                        { return unmarshal(b, v) }
func (v PlanEntry) MarshalJSON() ([]byte, error)                                { return marshal(&v) }
func (v *PlanEntry) UnmarshalJSON(b []byte) error                               { return unmarshal(b, v) }
func (v PlanFile) MarshalJSON() ([]byte, error)                                 { return marshal(&v) }
func (v *PlanFile) UnmarshalJSON(b []byte) error                                { return unmarshal(b, v) }
func (v PlanItems) MarshalJSON() ([]byte, error)                                { return marshal(&v) }
func (v *PlanItems) UnmarshalJSON(b []byte) error                               { return unmarshal(b, v) }
func (v PlanMarkdown) MarshalJSON() ([]byte, error)                             { return marshal(&v) }
func (v *PlanMarkdown) UnmarshalJSON(b []byte) error                            { return unmarshal(b, v) }
func (v PlanRemoved) MarshalJSON() ([]byte, error)                              { return marshal(&v) }
func (v *PlanRemoved) UnmarshalJSON(b []byte) error                             { return unmarshal(b, v) }
func (v PlanUpdate) MarshalJSON() ([]byte, error)                               { return marshal(&v) }
func (v *PlanUpdate) UnmarshalJSON(b []byte) error                              { return unmarshal(b, v) }
func (v PromptCapabilities) MarshalJSON() ([]byte, error)                       { return marshal(&v) }
func (v *PromptCapabilities) UnmarshalJSON(b []byte) error                      { return unmarshal(b, v) }
func (v PromptRequest) MarshalJSON() ([]byte, error)                            { return marshal(&v) }
func (v *PromptRequest) UnmarshalJSON(b []byte) error                           { return unmarshal(b, v) }
func (v PromptResponse) MarshalJSON() ([]byte, error)                           { return marshal(&v) }
func (v *PromptResponse) UnmarshalJSON(b []byte) error                          { return unmarshal(b, v) }
func (v ProviderCurrentConfig) MarshalJSON() ([]byte, error)                    { return marshal(&v) }
func (v *ProviderCurrentConfig) UnmarshalJSON(b []byte) error                   { return unmarshal(b, v) }
func (v ProviderInfo) MarshalJSON() ([]byte, error)                             { return marshal(&v) }
func (v *ProviderInfo) UnmarshalJSON(b []byte) error                            { return unmarshal(b, v) }
func (v ProvidersCapabilities) MarshalJSON() ([]byte, error)                    { return marshal(&v) }
func (v *ProvidersCapabilities) UnmarshalJSON(b []byte) error                   { return unmarshal(b, v) }
func (v ProxySuccessorNotification) MarshalJSON() ([]byte, error)               { return marshal(&v) }
func (v *ProxySuccessorNotification) UnmarshalJSON(b []byte) error              { return unmarshal(b, v) }
func (v ProxySuccessorRequest) MarshalJSON() ([]byte, error)                    { return marshal(&v) }
func (v *ProxySuccessorRequest) UnmarshalJSON(b []byte) error                   { return unmarshal(b, v) }
func (v ReadTextFileRequest) MarshalJSON() ([]byte, error)                      { return marshal(&v) }
func (v *ReadTextFileRequest) UnmarshalJSON(b []byte) error                     { return unmarshal(b, v) }
func (v ReadTextFileResponse) MarshalJSON() ([]byte, error)                     { return marshal(&v) }
func (v *ReadTextFileResponse) UnmarshalJSON(b []byte) error                    { return unmarshal(b, v) }
func (v ReleaseTerminalRequest) MarshalJSON() ([]byte, error)                   { return marshal(&v) }
func (v *ReleaseTerminalRequest) UnmarshalJSON(b []byte) error                  { return unmarshal(b, v) }
func (v ReleaseTerminalResponse) MarshalJSON() ([]byte, error)                  { return marshal(&v) }
func (v *ReleaseTerminalResponse) UnmarshalJSON(b []byte) error                 { return unmarshal(b, v) }
func (v RequestPermissionRequest) MarshalJSON() ([]byte, error)                 { return marshal(&v) }
func (v *RequestPermissionRequest) UnmarshalJSON(b []byte) error                { return unmarshal(b, v) }
func (v RequestPermissionResponse) MarshalJSON() ([]byte, error)                { return marshal(&v) }
func (v *RequestPermissionResponse) UnmarshalJSON(b []byte) error               { return unmarshal(b, v) }
func (v RequiresActionStateUpdate) MarshalJSON() ([]byte, error)                { return marshal(&v) }
func (v *RequiresActionStateUpdate) UnmarshalJSON(b []byte) error               { return unmarshal(b, v) }
func (v ResourceLink) MarshalJSON() ([]byte, error)                             { return marshal(&v) }
func (v *ResourceLink) UnmarshalJSON(b []byte) error                            { return unmarshal(b, v) }
func (v ResumeSessionRequest) MarshalJSON() ([]byte, error)                     { return marshal(&v) }
func (v *ResumeSessionRequest) UnmarshalJSON(b []byte) error                    { return unmarshal(b, v) }
func (v ResumeSessionResponse) MarshalJSON() ([]byte, error)                    { return marshal(&v) }
func (v *ResumeSessionResponse) UnmarshalJSON(b []byte) error                   { return unmarshal(b, v) }
func (v RunningStateUpdate) MarshalJSON() ([]byte, error)                       { return marshal(&v) }
func (v *RunningStateUpdate) UnmarshalJSON(b []byte) error                      { return unmarshal(b, v) }
func (v SelectedPermissionOutcome) MarshalJSON() ([]byte, error)                { return marshal(&v) }
func (v *SelectedPermissionOutcome) UnmarshalJSON(b []byte) error               { return unmarshal(b, v) }
func (v SessionAdditionalDirectoriesCapabilities) MarshalJSON() ([]byte, error) { return marshal(&v) }
func (v *SessionAdditionalDirectoriesCapabilities) UnmarshalJSON(b []byte) error {
	return unmarshal(b, v)
}
func (v SessionArchiveCapabilities) MarshalJSON() ([]byte, error)              { return marshal(&v) }
func (v *SessionArchiveCapabilities) UnmarshalJSON(b []byte) error             { return unmarshal(b, v) }
func (v SessionCancelCapabilities) MarshalJSON() ([]byte, error)               { return marshal(&v) }
func (v *SessionCancelCapabilities) UnmarshalJSON(b []byte) error              { return unmarshal(b, v) }
func (v SessionCapabilities) MarshalJSON() ([]byte, error)                     { return marshal(&v) }
func (v *SessionCapabilities) UnmarshalJSON(b []byte) error                    { return unmarshal(b, v) }
func (v SessionCloseCapabilities) MarshalJSON() ([]byte, error)                { return marshal(&v) }
func (v *SessionCloseCapabilities) UnmarshalJSON(b []byte) error               { return unmarshal(b, v) }
func (v SessionConfigBoolean) MarshalJSON() ([]byte, error)                    { return marshal(&v) }
func (v *SessionConfigBoolean) UnmarshalJSON(b []byte) error                   { return unmarshal(b, v) }
func (v SessionConfigOption) MarshalJSON() ([]byte, error)                     { return marshal(&v) }
func (v *SessionConfigOption) UnmarshalJSON(b []byte) error                    { return unmarshal(b, v) }
func (v SessionConfigOptionsCapabilities) MarshalJSON() ([]byte, error)        { return marshal(&v) }
func (v *SessionConfigOptionsCapabilities) UnmarshalJSON(b []byte) error       { return unmarshal(b, v) }
func (v SessionConfigSelect) MarshalJSON() ([]byte, error)                     { return marshal(&v) }
func (v *SessionConfigSelect) UnmarshalJSON(b []byte) error                    { return unmarshal(b, v) }
func (v SessionConfigSelectGroup) MarshalJSON() ([]byte, error)                { return marshal(&v) }
func (v *SessionConfigSelectGroup) UnmarshalJSON(b []byte) error               { return unmarshal(b, v) }
func (v SessionConfigSelectOption) MarshalJSON() ([]byte, error)               { return marshal(&v) }
func (v *SessionConfigSelectOption) UnmarshalJSON(b []byte) error              { return unmarshal(b, v) }
func (v SessionDeleteCapabilities) MarshalJSON() ([]byte, error)               { return marshal(&v) }
func (v *SessionDeleteCapabilities) UnmarshalJSON(b []byte) error              { return unmarshal(b, v) }
func (v SessionForkCapabilities) MarshalJSON() ([]byte, error)                 { return marshal(&v) }
func (v *SessionForkCapabilities) UnmarshalJSON(b []byte) error                { return unmarshal(b, v) }
func (v SessionInfo) MarshalJSON() ([]byte, error)                             { return marshal(&v) }
func (v *SessionInfo) UnmarshalJSON(b []byte) error                            { return unmarshal(b, v) }
func (v SessionInfoUpdate) MarshalJSON() ([]byte, error)                       { return marshal(&v) }
func (v *SessionInfoUpdate) UnmarshalJSON(b []byte) error                      { return unmarshal(b, v) }
func (v SessionListCapabilities) MarshalJSON() ([]byte, error)                 { return marshal(&v) }
func (v *SessionListCapabilities) UnmarshalJSON(b []byte) error                { return unmarshal(b, v) }
func (v SessionMessage) MarshalJSON() ([]byte, error)                          { return marshal(&v) }
func (v *SessionMessage) UnmarshalJSON(b []byte) error                         { return unmarshal(b, v) }
func (v SessionMessageChunk) MarshalJSON() ([]byte, error)                     { return marshal(&v) }
func (v *SessionMessageChunk) UnmarshalJSON(b []byte) error                    { return unmarshal(b, v) }
func (v SessionMode) MarshalJSON() ([]byte, error)                             { return marshal(&v) }
func (v *SessionMode) UnmarshalJSON(b []byte) error                            { return unmarshal(b, v) }
func (v SessionModeState) MarshalJSON() ([]byte, error)                        { return marshal(&v) }
func (v *SessionModeState) UnmarshalJSON(b []byte) error                       { return unmarshal(b, v) }
func (v SessionNotification) MarshalJSON() ([]byte, error)                     { return marshal(&v) }
func (v *SessionNotification) UnmarshalJSON(b []byte) error                    { return unmarshal(b, v) }
func (v SessionResumeCapabilities) MarshalJSON() ([]byte, error)               { return marshal(&v) }
func (v *SessionResumeCapabilities) UnmarshalJSON(b []byte) error              { return unmarshal(b, v) }
func (v SessionStatusCapabilities) MarshalJSON() ([]byte, error)               { return marshal(&v) }
func (v *SessionStatusCapabilities) UnmarshalJSON(b []byte) error              { return unmarshal(b, v) }
func (v SessionStatusRequest) MarshalJSON() ([]byte, error)                    { return marshal(&v) }
func (v *SessionStatusRequest) UnmarshalJSON(b []byte) error                   { return unmarshal(b, v) }
func (v SessionStatusResponse) MarshalJSON() ([]byte, error)                   { return marshal(&v) }
func (v *SessionStatusResponse) UnmarshalJSON(b []byte) error                  { return unmarshal(b, v) }
func (v SessionSystemPromptCapabilities) MarshalJSON() ([]byte, error)         { return marshal(&v) }
func (v *SessionSystemPromptCapabilities) UnmarshalJSON(b []byte) error        { return unmarshal(b, v) }
func (v SessionSystemPromptModeCapabilities) MarshalJSON() ([]byte, error)     { return marshal(&v) }
func (v *SessionSystemPromptModeCapabilities) UnmarshalJSON(b []byte) error    { return unmarshal(b, v) }
func (v SessionSystemPromptOverrideCapabilities) MarshalJSON() ([]byte, error) { return marshal(&v) }
func (v *SessionSystemPromptOverrideCapabilities) UnmarshalJSON(b []byte) error {
	return unmarshal(b, v)
}
func (v SessionTitleCapabilities) MarshalJSON() ([]byte, error)        { return marshal(&v) }
func (v *SessionTitleCapabilities) UnmarshalJSON(b []byte) error       { return unmarshal(b, v) }
func (v SetConfigBoolean) MarshalJSON() ([]byte, error)                { return marshal(&v) }
func (v *SetConfigBoolean) UnmarshalJSON(b []byte) error               { return unmarshal(b, v) }
func (v SetConfigValueID) MarshalJSON() ([]byte, error)                { return marshal(&v) }
func (v *SetConfigValueID) UnmarshalJSON(b []byte) error               { return unmarshal(b, v) }
func (v SetProviderRequest) MarshalJSON() ([]byte, error)              { return marshal(&v) }
func (v *SetProviderRequest) UnmarshalJSON(b []byte) error             { return unmarshal(b, v) }
func (v SetProviderResponse) MarshalJSON() ([]byte, error)             { return marshal(&v) }
func (v *SetProviderResponse) UnmarshalJSON(b []byte) error            { return unmarshal(b, v) }
func (v SetSessionConfigOptionRequest) MarshalJSON() ([]byte, error)   { return marshal(&v) }
func (v *SetSessionConfigOptionRequest) UnmarshalJSON(b []byte) error  { return unmarshal(b, v) }
func (v SetSessionConfigOptionResponse) MarshalJSON() ([]byte, error)  { return marshal(&v) }
func (v *SetSessionConfigOptionResponse) UnmarshalJSON(b []byte) error { return unmarshal(b, v) }
func (v SetSessionModeRequest) MarshalJSON() ([]byte, error)           { return marshal(&v) }
func (v *SetSessionModeRequest) UnmarshalJSON(b []byte) error          { return unmarshal(b, v) }
func (v SetSessionModeResponse) MarshalJSON() ([]byte, error)          { return marshal(&v) }
func (v *SetSessionModeResponse) UnmarshalJSON(b []byte) error         { return unmarshal(b, v) }
func (v SetSessionTitleRequest) MarshalJSON() ([]byte, error)          { return marshal(&v) }
func (v *SetSessionTitleRequest) UnmarshalJSON(b []byte) error         { return unmarshal(b, v) }
func (v SetSessionTitleResponse) MarshalJSON() ([]byte, error)         { return marshal(&v) }
func (v *SetSessionTitleResponse) UnmarshalJSON(b []byte) error        { return unmarshal(b, v) }
func (v StringMultiSelectItems) MarshalJSON() ([]byte, error)          { return marshal(&v) }
func (v *StringMultiSelectItems) UnmarshalJSON(b []byte) error         { return unmarshal(b, v) }
func (v StringPropertySchema) MarshalJSON() ([]byte, error)            { return marshal(&v) }
func (v *StringPropertySchema) UnmarshalJSON(b []byte) error           { return unmarshal(b, v) }
func (v SubagentCapabilities) MarshalJSON() ([]byte, error)            { return marshal(&v) }
func (v *SubagentCapabilities) UnmarshalJSON(b []byte) error           { return unmarshal(b, v) }
func (v SubagentSessionCapabilities) MarshalJSON() ([]byte, error)     { return marshal(&v) }
func (v *SubagentSessionCapabilities) UnmarshalJSON(b []byte) error    { return unmarshal(b, v) }
func (v SubagentUpdate) MarshalJSON() ([]byte, error)                  { return marshal(&v) }
func (v *SubagentUpdate) UnmarshalJSON(b []byte) error                 { return unmarshal(b, v) }
func (v SystemPrompt) MarshalJSON() ([]byte, error)                    { return marshal(&v) }
func (v *SystemPrompt) UnmarshalJSON(b []byte) error                   { return unmarshal(b, v) }
func (v Terminal) MarshalJSON() ([]byte, error)                        { return marshal(&v) }
func (v *Terminal) UnmarshalJSON(b []byte) error                       { return unmarshal(b, v) }
func (v TerminalExitStatus) MarshalJSON() ([]byte, error)              { return marshal(&v) }
func (v *TerminalExitStatus) UnmarshalJSON(b []byte) error             { return unmarshal(b, v) }
func (v TerminalOutputRequest) MarshalJSON() ([]byte, error)           { return marshal(&v) }
func (v *TerminalOutputRequest) UnmarshalJSON(b []byte) error          { return unmarshal(b, v) }
func (v TerminalOutputResponse) MarshalJSON() ([]byte, error)          { return marshal(&v) }
func (v *TerminalOutputResponse) UnmarshalJSON(b []byte) error         { return unmarshal(b, v) }
func (v TextContent) MarshalJSON() ([]byte, error)                     { return marshal(&v) }
func (v *TextContent) UnmarshalJSON(b []byte) error                    { return unmarshal(b, v) }
func (v TextResourceContents) MarshalJSON() ([]byte, error)            { return marshal(&v) }
func (v *TextResourceContents) UnmarshalJSON(b []byte) error           { return unmarshal(b, v) }
func (v TitledMultiSelectItems) MarshalJSON() ([]byte, error)          { return marshal(&v) }
func (v *TitledMultiSelectItems) UnmarshalJSON(b []byte) error         { return unmarshal(b, v) }
func (v ToolCall) MarshalJSON() ([]byte, error)                        { return marshal(&v) }
func (v *ToolCall) UnmarshalJSON(b []byte) error                       { return unmarshal(b, v) }
func (v ToolCallLocation) MarshalJSON() ([]byte, error)                { return marshal(&v) }
func (v *ToolCallLocation) UnmarshalJSON(b []byte) error               { return unmarshal(b, v) }
func (v ToolCallUpdate) MarshalJSON() ([]byte, error)                  { return marshal(&v) }
func (v *ToolCallUpdate) UnmarshalJSON(b []byte) error                 { return unmarshal(b, v) }
func (v UnarchiveSessionRequest) MarshalJSON() ([]byte, error)         { return marshal(&v) }
func (v *UnarchiveSessionRequest) UnmarshalJSON(b []byte) error        { return unmarshal(b, v) }
func (v UnarchiveSessionResponse) MarshalJSON() ([]byte, error)        { return marshal(&v) }
func (v *UnarchiveSessionResponse) UnmarshalJSON(b []byte) error       { return unmarshal(b, v) }
func (v UnknownAuthMethod) MarshalJSON() ([]byte, error)               { return marshal(&v) }
func (v *UnknownAuthMethod) UnmarshalJSON(b []byte) error              { return unmarshal(b, v) }
func (v UnknownCommandInput) MarshalJSON() ([]byte, error)             { return marshal(&v) }
func (v *UnknownCommandInput) UnmarshalJSON(b []byte) error            { return unmarshal(b, v) }
func (v UnknownConfigValue) MarshalJSON() ([]byte, error)              { return marshal(&v) }
func (v *UnknownConfigValue) UnmarshalJSON(b []byte) error             { return unmarshal(b, v) }
func (v UnknownContent) MarshalJSON() ([]byte, error)                  { return marshal(&v) }
func (v *UnknownContent) UnmarshalJSON(b []byte) error                 { return unmarshal(b, v) }
func (v UnknownElicitationAction) MarshalJSON() ([]byte, error)        { return marshal(&v) }
func (v *UnknownElicitationAction) UnmarshalJSON(b []byte) error       { return unmarshal(b, v) }
func (v UnknownElicitationMode) MarshalJSON() ([]byte, error)          { return marshal(&v) }
func (v *UnknownElicitationMode) UnmarshalJSON(b []byte) error         { return unmarshal(b, v) }
func (v UnknownMCPServer) MarshalJSON() ([]byte, error)                { return marshal(&v) }
func (v *UnknownMCPServer) UnmarshalJSON(b []byte) error               { return unmarshal(b, v) }
func (v UnknownMultiSelectItems) MarshalJSON() ([]byte, error)         { return marshal(&v) }
func (v *UnknownMultiSelectItems) UnmarshalJSON(b []byte) error        { return unmarshal(b, v) }
func (v UnknownPermissionOutcome) MarshalJSON() ([]byte, error)        { return marshal(&v) }
func (v *UnknownPermissionOutcome) UnmarshalJSON(b []byte) error       { return unmarshal(b, v) }
func (v UnknownPlan) MarshalJSON() ([]byte, error)                     { return marshal(&v) }
func (v *UnknownPlan) UnmarshalJSON(b []byte) error                    { return unmarshal(b, v) }
func (v UnknownPropertySchema) MarshalJSON() ([]byte, error)           { return marshal(&v) }
func (v *UnknownPropertySchema) UnmarshalJSON(b []byte) error          { return unmarshal(b, v) }
func (v UnknownResourceContents) MarshalJSON() ([]byte, error)         { return marshal(&v) }
func (v *UnknownResourceContents) UnmarshalJSON(b []byte) error        { return unmarshal(b, v) }
func (v UnknownStateUpdate) MarshalJSON() ([]byte, error)              { return marshal(&v) }
func (v *UnknownStateUpdate) UnmarshalJSON(b []byte) error             { return unmarshal(b, v) }
func (v UnknownToolCallContent) MarshalJSON() ([]byte, error)          { return marshal(&v) }
func (v *UnknownToolCallContent) UnmarshalJSON(b []byte) error         { return unmarshal(b, v) }
func (v UnknownUpdate) MarshalJSON() ([]byte, error)                   { return marshal(&v) }
func (v *UnknownUpdate) UnmarshalJSON(b []byte) error                  { return unmarshal(b, v) }
func (v UnstructuredCommandInput) MarshalJSON() ([]byte, error)        { return marshal(&v) }
func (v *UnstructuredCommandInput) UnmarshalJSON(b []byte) error       { return unmarshal(b, v) }
func (v Usage) MarshalJSON() ([]byte, error)                           { return marshal(&v) }
func (v *Usage) UnmarshalJSON(b []byte) error                          { return unmarshal(b, v) }
func (v UsageUpdate) MarshalJSON() ([]byte, error)                     { return marshal(&v) }
func (v *UsageUpdate) UnmarshalJSON(b []byte) error                    { return unmarshal(b, v) }
func (v UserMessageChunk) MarshalJSON() ([]byte, error)                { return marshal(&v) }
func (v *UserMessageChunk) UnmarshalJSON(b []byte) error               { return unmarshal(b, v) }
func (v WaitForTerminalExitRequest) MarshalJSON() ([]byte, error)      { return marshal(&v) }
func (v *WaitForTerminalExitRequest) UnmarshalJSON(b []byte) error     { return unmarshal(b, v) }
func (v WaitForTerminalExitResponse) MarshalJSON() ([]byte, error)     { return marshal(&v) }
func (v *WaitForTerminalExitResponse) UnmarshalJSON(b []byte) error    { return unmarshal(b, v) }
func (v WriteTextFileRequest) MarshalJSON() ([]byte, error)            { return marshal(&v) }
func (v *WriteTextFileRequest) UnmarshalJSON(b []byte) error           { return unmarshal(b, v) }
func (v WriteTextFileResponse) MarshalJSON() ([]byte, error)           { return marshal(&v) }
func (v *WriteTextFileResponse) UnmarshalJSON(b []byte) error          { return unmarshal(b, v) }
