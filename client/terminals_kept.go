package client

import "github.com/patchbay-dev/patchbay/acp"

// keptOutputs are the outputs of terminals that were released, for display (spec: terminals#releasing-terminals).
type keptOutputs struct {
	order []keptOutput // the oldest first
	bytes int          // of all texts
}

type keptOutput struct {
	id    acp.TerminalID
	shown TerminalOutput
}

// add keeps an output and drops the oldest until there are at most so many, and so many bytes of them.
func (k *keptOutputs) add(id acp.TerminalID, shown TerminalOutput, count, bytes int) {
	k.order = append(k.order, keptOutput{id, shown})
	k.bytes += len(shown.Text)
	for len(k.order) > 0 && (len(k.order) > count || k.bytes > bytes) {
		k.bytes -= len(k.order[0].shown.Text)
		k.order[0] = keptOutput{}
		k.order = k.order[1:]
	}
}

func (k *keptOutputs) get(id acp.TerminalID) (TerminalOutput, bool) {
	for _, o := range k.order {
		if o.id == id {
			return o.shown, true
		}
	}
	return TerminalOutput{}, false
}
