package coder

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
)

func demoPermission(ctx context.Context, d *demonstration) (acp.StopReason, error) {
	call, err := d.ToolCall(acp.ToolCall{Title: "Do something dangerous (not really)", Name: "demo_permission", Kind: acp.ToolKindExecute})
	if err != nil {
		return "", err
	}
	answer, err := d.RequestPermission(ctx, call, acp.PermissionOptions(acp.PermissionOptionKindAllowOnce,
		acp.PermissionOptionKindAllowAlways, acp.PermissionOptionKindRejectOnce, acp.PermissionOptionKindRejectAlways)...)
	switch {
	case errors.Is(err, agent.ErrCancelled):
		return acp.StopReasonCancelled, nil
	case err != nil:
		return "", err
	}
	if answer.Kind.Allows() {
		err = errors.Join(call.Start(), call.Complete())
	} else {
		err = call.Fail("you rejected it")
	}
	return "", errors.Join(err, d.Textf("You chose %q (%s).\n", answer.OptionID, answer.Kind))
}

func demoElicitation(ctx context.Context, d *demonstration) (acp.StopReason, error) {
	request := acp.CreateElicitationRequest{Message: "This is a demo: nothing comes of what you enter.", Mode: demoForm()}
	switch way := strings.Join(d.args, " "); way {
	case "", "form":
	case "url":
		return d.elicitPage(ctx)
	default:
		return "", d.Textf("There is no way to ask called %q. There are form and url.\n", way)
	}
	_, stop, err := d.elicit(ctx, request)
	return stop, err
}

// elicitPage asks to visit a page, and says at once that the user is done with it.
func (d *demonstration) elicitPage(ctx context.Context) (acp.StopReason, error) {
	id := acp.ElicitationID("demo_" + rand.Text())
	action, stop, err := d.elicit(ctx, acp.CreateElicitationRequest{
		Message: "This is a demo: there is nothing to do on that page.",
		Mode:    &acp.ElicitationURLMode{ElicitationID: id, URL: "https://example.com/demo"},
	})
	if _, accepted := action.(*acp.ElicitationAcceptAction); accepted && err == nil {
		err = d.Session().Conn().CompleteElicitation(ctx, id)
	}
	return stop, err
}

// elicit asks, and says what the user answered.
func (d *demonstration) elicit(ctx context.Context, request acp.CreateElicitationRequest) (acp.ElicitationAction, acp.StopReason, error) {
	response, err := d.Elicit(ctx, request)
	switch {
	case ctx.Err() != nil:
		return nil, acp.StopReasonCancelled, nil
	case errors.Is(err, acp.ErrUnsupported):
		return nil, "", d.Textf("Your client can't be asked this: %v.\n", err)
	case err != nil:
		return nil, "", err
	}
	return response.Action, "", d.Text(elicited(response.Action))
}

// demoForm has a field of each kind.
func demoForm() *acp.ElicitationFormMode {
	least, greatest := int64(1), int64(10)
	return &acp.ElicitationFormMode{RequestedSchema: acp.ElicitationSchema{
		Title: "Demo",
		Properties: acp.ElicitationProperties{
			{Name: "name", Schema: &acp.StringPropertySchema{Title: "Name"}},
			{Name: "colour", Schema: &acp.StringPropertySchema{Title: "Colour", Enum: []string{"red", "green", "blue"}, Default: "green"}},
			{Name: "count", Schema: &acp.IntegerPropertySchema{Title: "How many", Minimum: &least, Maximum: &greatest}},
			{Name: "ratio", Schema: &acp.NumberPropertySchema{Title: "Ratio"}},
			{Name: "sure", Schema: &acp.BooleanPropertySchema{Title: "Are you sure?"}},
			{Name: "days", Schema: &acp.MultiSelectPropertySchema{
				Title: "Days", Items: &acp.StringMultiSelectItems{Enum: []string{"Monday", "Tuesday"}},
			}},
		},
		Required: []string{"name"},
	}}
}

// elicited says what the user answered.
func elicited(action acp.ElicitationAction) string {
	switch action := action.(type) {
	case *acp.ElicitationAcceptAction:
		var b strings.Builder
		b.WriteString("You accepted.\n")
		for _, name := range slices.Sorted(maps.Keys(action.Content)) {
			fmt.Fprintf(&b, "* %s: %s\n", name, action.Content[name].Raw)
		}
		return b.String()
	case *acp.ElicitationDeclineAction:
		return "You did not accept: you declined.\n"
	case *acp.ElicitationCancelAction:
		return "You did not accept: you cancelled.\n"
	}
	return "Your client gave an answer that is not known.\n"
}
