package acp

// An AvailableCommandsUpdate is all commands that the user can give at the beginning of a prompt, after a slash.
//
// Spec: slash-commands.
type AvailableCommandsUpdate struct {
	AvailableCommands []AvailableCommand `json:"availableCommands" acp:"lenient,skip"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An AvailableCommand is a command that the user can give.
type AvailableCommand struct {
	// Name is the command without the slash, such as "review".
	Name string `json:"name"`

	// Description says what the command does, for people.
	Description string `json:"description"`

	// Input says what may follow the command; nil if nothing does.
	Input AvailableCommandInput `json:"input,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An AvailableCommandInput says what may follow a command: *UnstructuredCommandInput, or *UnknownCommandInput for
// something that this package does not know.
type AvailableCommandInput interface{ availableCommandInput() }

func (*UnstructuredCommandInput) availableCommandInput() {}
func (*UnknownCommandInput) availableCommandInput()      {}

var _ = union[AvailableCommandInput]("").
	shape("hint", &UnstructuredCommandInput{}).
	unknown(&UnknownCommandInput{})

// An UnstructuredCommandInput is any text.
type UnstructuredCommandInput struct {
	// Hint is what to show while there is no text yet.
	Hint string `json:"hint"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An UnknownCommandInput is input that this package does not know. It is written as it was read.
type UnknownCommandInput struct {
	Raw Raw
}
