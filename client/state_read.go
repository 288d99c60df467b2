package client

import (
	"slices"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// Models are the models that a session can use, as many agents of today say in answer to session/new, load, resume and
// fork (S004.2). The protocol has no such member: agents that follow it offer models as an option of category
// acp.SessionConfigOptionCategoryModel.
type Models struct {
	Current   string // empty if the agent says nothing of models
	Available []Model
}

// A Model is a model that a session can use.
type Model struct {
	ID          string
	Name        string // to show; empty if the agent gives none
	Description string
	Raw         acp.Raw // the model as it came, with what the fields have no room for
}

// Begin takes the modes, options and models of the answer to session/new, load, resume or fork: its Modes, ConfigOptions
// and Unknown. What the answer leaves out stays as it is, since updates may have said it before.
func (s *State) Begin(modes *acp.SessionModeState, options []acp.SessionConfigOption, unknown acp.Unknown) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revision++
	s.setModes(modes)
	if options != nil {
		s.options = options
	}
	if raw := unknown["models"]; raw.Kind() == '{' {
		s.models = modelsIn(raw)
	}
}

// SetModes says which modes the session has and which it is in. Nil changes nothing. Unlike an update of the mode it is no
// entry of the timeline, since nothing happened.
func (s *State) SetModes(modes *acp.SessionModeState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revision++
	s.setModes(modes)
}

func (s *State) setModes(modes *acp.SessionModeState) {
	if modes != nil {
		s.mode, s.modes = modes.CurrentModeID, modes.AvailableModes
	}
}

// modelsIn reads `{currentModelId, availableModels: [{modelId, name, description}]}`. What is not so is left out.
func modelsIn(raw acp.Raw) Models {
	models := Models{Current: stringIn(raw, "currentModelId")}
	list := member(raw, "availableModels")
	if list.Kind() != '[' {
		return models
	}
	for c := rawjson.Walk(list); c.Next(); {
		v := acp.Raw(c.Value())
		if id := stringIn(v, "modelId"); id != "" {
			models.Available = append(models.Available,
				Model{ID: id, Name: stringIn(v, "name"), Description: stringIn(v, "description"), Raw: v})
		}
	}
	return models
}

// SetModel says that the session uses another model, after the agent agreed to session/set_model.
func (s *State) SetModel(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revision++
	s.models.Current = id
}

// A Snapshot is everything that a State knew at one moment.
type Snapshot struct {
	Revision    uint64
	Timeline    List[Entry]
	Messages    List[*Message]
	ToolCalls   List[*ToolCall]
	Notices     List[*Notice]
	Compactions List[*Compaction]
	Exchanges   List[*SessionMessage]
	Unknown     List[*acp.UnknownUpdate]
	Plans       []*Plan
	Subagents   []*Subagent
	Commands    []acp.AvailableCommand
	Mode        acp.SessionModeID
	Modes       []acp.SessionMode
	Config      []acp.SessionConfigOption
	Models      Models
	Usage       *acp.UsageUpdate
	Info        Info
}

// Snapshot returns everything at once, so that the parts fit together. The methods that return a part say what it is.
func (s *State) Snapshot() Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flush()
	return Snapshot{
		Revision:    s.revision,
		Timeline:    s.timeline.view(),
		Messages:    s.messages.view(),
		ToolCalls:   s.calls.view(),
		Notices:     s.notices.view(),
		Compactions: s.compactions.view(),
		Exchanges:   s.exchanges.view(),
		Unknown:     s.unknown.view(),
		Plans:       slices.Clip(s.plans),
		Subagents:   slices.Clip(s.subagents.list),
		Commands:    slices.Clip(s.commands),
		Mode:        s.mode,
		Modes:       slices.Clip(s.modes),
		Config:      slices.Clip(s.options),
		Models:      Models{Current: s.models.Current, Available: slices.Clip(s.models.Available)},
		Usage:       s.usage,
		Info:        s.info,
	}
}

// Revision counts what has come, so that equal numbers mean that nothing has changed.
func (s *State) Revision() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.revision
}

// Timeline returns what happened, in the order in which it began.
func (s *State) Timeline() List[Entry] { return s.Snapshot().Timeline }

// Messages returns the messages of all roles, in the order in which they began.
func (s *State) Messages() List[*Message] { return s.Snapshot().Messages }

// ToolCalls returns the tool calls, in the order in which they appeared.
func (s *State) ToolCalls() List[*ToolCall] { return s.Snapshot().ToolCalls }

// ToolCall returns a tool call, nil if the agent has not spoken of it.
func (s *State) ToolCall(id acp.ToolCallID) *ToolCall {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at, ok := s.byCallID[id]; ok {
		return s.calls.at(at.own)
	}
	return nil
}

// Notices returns what the agent told the user beside the conversation.
func (s *State) Notices() List[*Notice] { return s.Snapshot().Notices }

// Compactions returns how the agent shortened the session's context.
func (s *State) Compactions() List[*Compaction] { return s.Snapshot().Compactions }

// SessionMessages returns the messages between this session and others.
//
// Unstable: not part of the specification yet.
func (s *State) SessionMessages() List[*SessionMessage] { return s.Snapshot().Exchanges }

// Unknown returns the updates of types that this package does not know (S000.15).
func (s *State) Unknown() List[*acp.UnknownUpdate] { return s.Snapshot().Unknown }

// Plan returns the tasks of the plan that has no id, or of the only plan there is.
func (s *State) Plan() []acp.PlanEntry {
	plans := s.Plans()
	if i := planIndex(plans, ""); i >= 0 {
		return plans[i].Entries()
	}
	if len(plans) == 1 {
		return plans[0].Entries()
	}
	return nil
}

// Plans returns the plans as they are now, in the order in which they appeared.
func (s *State) Plans() []*Plan { return s.Snapshot().Plans }

// Commands returns the slash commands that the user can give (S004.9).
func (s *State) Commands() []acp.AvailableCommand { return s.Snapshot().Commands }

// Mode returns the mode that the session is in, empty if the agent has none.
func (s *State) Mode() acp.SessionModeID { return s.Snapshot().Mode }

// Modes returns the modes that the session has.
func (s *State) Modes() []acp.SessionMode { return s.Snapshot().Modes }

// Config returns the options of the session with their values.
func (s *State) Config() []acp.SessionConfigOption { return s.Snapshot().Config }

// Models returns the models that the session can use, for agents that say so outside of the options.
func (s *State) Models() Models { return s.Snapshot().Models }

// Usage returns how full the session's context is and what it has cost, nil if the agent has not said.
func (s *State) Usage() *acp.UsageUpdate { return s.Snapshot().Usage }

// Info returns the session's title and the like.
func (s *State) Info() Info { return s.Snapshot().Info }

// Title returns what the session is about, empty if it has no title.
func (s *State) Title() string { return s.Info().Title }
