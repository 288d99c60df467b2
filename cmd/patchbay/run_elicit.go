package main

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
)

// ElicitForm asks the user for what a form asks for, field by field. Without a terminal the answer is no, which is said (F145).
func (r *run) ElicitForm(ctx context.Context, _ *client.Session, req *acp.CreateElicitationRequest) (*acp.CreateElicitationResponse, error) {
	mode, ok := req.Mode.(*acp.ElicitationFormMode)
	if !ok || !r.asker.terminal {
		return r.decline(req), nil
	}
	return r.elicit(func() acp.ElicitationAction { return r.asker.form(ctx, req.Message, &mode.RequestedSchema) }), nil
}

// ElicitURL asks the user to go to a page. It is opened only if the user says so, who has seen all of its address.
func (r *run) ElicitURL(ctx context.Context, _ *client.Session, req *acp.CreateElicitationRequest) (*acp.CreateElicitationResponse, error) {
	mode, ok := req.Mode.(*acp.ElicitationURLMode)
	if !ok || !r.asker.terminal {
		return r.decline(req), nil
	}
	return r.elicit(func() acp.ElicitationAction { return r.asker.page(ctx, req.Message, mode.URL) }), nil
}

// ElicitationComplete says that the user is done with a page.
func (r *run) ElicitationComplete(context.Context, acp.ElicitationID) {
	r.show(func(v view) { v.note("the agent says that you are done with the page") })
}

func (r *run) elicit(ask func() acp.ElicitationAction) *acp.CreateElicitationResponse {
	r.asker.mu.Lock()
	defer r.asker.mu.Unlock()
	r.asker.forget()
	return &acp.CreateElicitationResponse{Action: ask()}
}

// decline answers for a user who is not there.
func (r *run) decline(req *acp.CreateElicitationRequest) *acp.CreateElicitationResponse {
	title := "question: " + cut(cleanLine(req.Message), 200)
	r.show(func(v view) {
		r.denied = append(r.denied, denial{Title: title, Reason: deniedUnattended})
		v.note("declined, since there is no terminal to ask on: " + title)
	})
	return &acp.CreateElicitationResponse{Action: &acp.ElicitationDeclineAction{}}
}

// page asks whether to open a page. The caller holds the lock.
func (a *asker) page(ctx context.Context, message, address string) acp.ElicitationAction {
	fmt.Fprintf(a.out, "The agent asks you to go to a page: %s\n  %s\n", cleanLine(message), cleanLine(address))
	u, err := url.Parse(address)
	switch {
	case err != nil, u.Scheme != "https" && u.Scheme != "http", u.Hostname() == "", cleanLine(address) != address:
		fmt.Fprintln(a.out, "That is no address of a web page, and is not opened.")
		return &acp.ElicitationDeclineAction{}
	case u.User != nil, !isASCII(u.Host):
		fmt.Fprintf(a.out, "Mind the address: the page is at %q.\n", u.Host)
	}
	switch yes, err := a.yes(ctx, "Open it in the browser?"); {
	case err != nil:
		return &acp.ElicitationCancelAction{}
	case !yes:
		return &acp.ElicitationDeclineAction{}
	}
	if err := browse(ctx, address); err != nil {
		fmt.Fprintf(a.out, "It could not be opened (%v): open it yourself.\n", err)
	}
	return &acp.ElicitationAcceptAction{}
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > 127 }) < 0
}

// yes asks until the answer is yes or no.
func (a *asker) yes(ctx context.Context, question string) (bool, error) {
	for {
		fmt.Fprintf(a.out, "%s y or n: ", question)
		line, err := a.line(ctx)
		if err != nil {
			fmt.Fprintln(a.out)
			return false, err
		}
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes":
			return true, nil
		case "n", "no":
			return false, nil
		}
	}
}
