package acp

// A TerminalID names a terminal of the client's.
type TerminalID string

// A CreateTerminalRequest has the client run a command and keep its output. The answer comes at once; the agent
// releases the terminal when it is done with it. All terminal/* methods need ClientCapabilities.Terminal.
//
// Spec: terminals.
type CreateTerminalRequest struct {
	SessionID SessionID `json:"sessionId"`

	// Command is the program to run.
	Command string `json:"command"`

	// Args are its arguments.
	Args []string `json:"args,omitzero" acp:"nullable"`

	// Env is added to the environment that the client gives to commands.
	Env []EnvVariable `json:"env,omitzero" acp:"nullable"`

	// CWD is the directory to run in, an absolute path. Empty means the session's.
	CWD string `json:"cwd,omitzero"`

	// OutputByteLimit is how much output to keep, in bytes; nil leaves it to the client. Beyond it the oldest output is
	// dropped, up to the beginning of a character.
	OutputByteLimit *uint64 `json:"outputByteLimit,omitzero"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A CreateTerminalResponse names the terminal.
type CreateTerminalResponse struct {
	TerminalID TerminalID `json:"terminalId"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A TerminalOutputRequest asks for what a terminal has shown so far, without waiting.
type TerminalOutputRequest struct {
	SessionID  SessionID  `json:"sessionId"`
	TerminalID TerminalID `json:"terminalId"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A TerminalOutputResponse is what a terminal has shown so far.
type TerminalOutputResponse struct {
	// Output is what was kept of standard output and standard error.
	Output string `json:"output"`

	// Truncated says that older output was dropped.
	Truncated bool `json:"truncated"`

	// ExitStatus says how the command ended; nil while it runs.
	ExitStatus *TerminalExitStatus `json:"exitStatus,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A TerminalExitStatus says how a command ended.
type TerminalExitStatus struct {
	// ExitCode is the process's exit code; nil if a signal ended it.
	ExitCode *uint32 `json:"exitCode,omitzero" acp:"lenient"`

	// Signal is the name of the signal that ended the process, such as "SIGKILL"; empty if it exited by itself.
	Signal string `json:"signal,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A WaitForTerminalExitRequest waits until a terminal's command has ended.
type WaitForTerminalExitRequest struct {
	SessionID  SessionID  `json:"sessionId"`
	TerminalID TerminalID `json:"terminalId"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A WaitForTerminalExitResponse says how a command ended. It has the members of TerminalExitStatus.
type WaitForTerminalExitResponse struct {
	// ExitCode is the process's exit code; nil if a signal ended it.
	ExitCode *uint32 `json:"exitCode,omitzero" acp:"lenient"`

	// Signal is the name of the signal that ended the process, such as "SIGKILL"; empty if it exited by itself.
	Signal string `json:"signal,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A KillTerminalRequest ends a terminal's command and keeps the terminal, so that its output can still be read.
type KillTerminalRequest struct {
	SessionID  SessionID  `json:"sessionId"`
	TerminalID TerminalID `json:"terminalId"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A KillTerminalResponse says that the command was told to end.
type KillTerminalResponse struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A ReleaseTerminalRequest ends a terminal's command, if it still runs, and frees the terminal. The id is then no
// longer valid, but where the terminal is shown in a tool call it stays.
type ReleaseTerminalRequest struct {
	SessionID  SessionID  `json:"sessionId"`
	TerminalID TerminalID `json:"terminalId"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A ReleaseTerminalResponse says that the terminal is freed.
type ReleaseTerminalResponse struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An EnvVariable is a variable of a process's environment.
type EnvVariable struct {
	Name  string `json:"name"`
	Value string `json:"value"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}
