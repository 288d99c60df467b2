package interop_test

import (
	"context"
	"encoding/json"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
)

// updatesAct sends an update of each kind that the other acts don't send.
func updatesAct(ctx context.Context, t *agent.Turn, _ string) (acp.StopReason, error) {
	for _, u := range []acp.SessionUpdate{
		&acp.AvailableCommandsUpdate{AvailableCommands: []acp.AvailableCommand{{Name: "go", Description: "Go"}}},
		&acp.CurrentModeUpdate{CurrentModeID: modeAuto},
		&acp.ConfigOptionUpdate{ConfigOptions: models("large")},
		&acp.SessionInfoUpdate{Title: acp.Some("A title")},
		&acp.UsageUpdate{Used: 10, Size: 100, Cost: &acp.Cost{Amount: 0.5, Currency: "EUR"}},
		&acp.Notice{Severity: acp.NoticeSeverityWarning, Title: "Careful"},
		&acp.CompactionUpdate{CompactionID: "c1", Status: acp.CompactionStatusInProgress},
		&acp.CompactionSummaryChunk{CompactionID: "c1", Content: acp.Text("so far")},
		&acp.CompactionUpdate{CompactionID: "c1", Status: acp.CompactionStatusCompleted},
		&acp.SubagentUpdate{SessionID: "child", Title: acp.Some("A child")},
	} {
		if err := t.Update(u); err != nil {
			return "", err
		}
	}
	return "", nil
}

// askAct asks for a name by a form and says what came back.
func askAct(ctx context.Context, t *agent.Turn, _ string) (acp.StopReason, error) {
	name := acp.ElicitationProperty{Name: "name", Schema: &acp.StringPropertySchema{}}
	return elicit(ctx, t, &acp.ElicitationFormMode{RequestedSchema: acp.ElicitationSchema{
		Type:       acp.ElicitationSchemaTypeObject,
		Properties: acp.ElicitationProperties{name},
		Required:   []string{"name"},
	}})
}

// linkAct asks the user to open a page, says what came back, and that the page is done with.
func linkAct(ctx context.Context, t *agent.Turn, _ string) (acp.StopReason, error) {
	stop, err := elicit(ctx, t, &acp.ElicitationURLMode{ElicitationID: "e1", URL: "https://example.com/in"})
	if err != nil {
		return stop, err
	}
	return stop, t.Session().Conn().Notify(ctx, "elicitation/complete", acp.CompleteElicitationNotification{ElicitationID: "e1"})
}

func elicit(ctx context.Context, t *agent.Turn, mode acp.ElicitationMode) (acp.StopReason, error) {
	answer, err := t.Elicit(ctx, acp.CreateElicitationRequest{Message: "Who?", Mode: mode})
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return "", err
	}
	return "", t.Text(string(text))
}
