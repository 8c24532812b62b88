package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"sekisho/backend/handover"
	"sekisho/backend/permission"
	"sekisho/backend/restclient"
)

// agentDesk is the desk as an agent reaches it.
type agentDesk struct {
	*client
	claimant string // how the journal names the door
}

// service finds the desk and asks whether it knows the token. What it gives asks the desk for
// the tools of a client, and says when a person stops the agent.
func (f *finder) service(ctx context.Context, client,
	claimant string) (at func(handover.Circumstances) handover.Service, stops chan struct{}, err error) {
	c, err := f.client()
	if err == nil {
		err = c.Do(ctx, http.MethodGet, "/v1/calls?limit=1&brief=true", nil, nil)
	}
	if stops = make(chan struct{}, 1); err == nil {
		go handover.HearStops(ctx, c.events, stops)
	}
	return func(where handover.Circumstances) handover.Service {
		return handover.Service{Desk: agentDesk{c, claimant}, Client: client, Circumstances: where}
	}, stops, err
}

// events tells of what happens, until the stream ends: again is false where the desk does not
// know the token any more.
func (c *client) events(ctx context.Context, happened func(permission.EntryKind)) (again bool) {
	var p *problem
	err := c.Events(ctx, func() {}, happened)
	return !errors.As(err, &p) || p.Status != http.StatusUnauthorized
}

func (d agentDesk) Evaluate(ctx context.Context, q handover.Question) (v permission.Verdict, err error) {
	err = d.Do(ctx, http.MethodPost, "/v1/evaluate", map[string]any{
		"serverId": q.ServerID, "toolName": q.ToolName, "input": q.Input, "sessionId": q.SessionID, "cwd": q.Cwd}, &v)
	return v, said(err)
}

func (d agentDesk) Ask(ctx context.Context, q handover.Question) (permission.Call, error) {
	return d.exchanged(ctx, http.MethodPost, "/v1/calls", q)
}

// waitSeconds is how long the desk may take to tell of a change.
const waitSeconds = 20

func (d agentDesk) Wait(ctx context.Context, id permission.CallID, rev int64) (permission.Call, error) {
	return d.exchanged(ctx, http.MethodGet, fmt.Sprintf("%s?wait=%d&rev=%d", callPath(id), waitSeconds, rev), nil)
}

func (d agentDesk) Claim(ctx context.Context, c permission.Call) (permission.Call, error) {
	return d.exchanged(ctx, http.MethodPost, callPath(c.ID)+"/claim", map[string]any{"inputHash": c.InputHash, "claimant": d.claimant,
		"claimKey": c.ToolCallID, "leaseSeconds": permission.HandedOverFor.Seconds()})
}

func (d agentDesk) Finish(ctx context.Context, c permission.Call, output string) error {
	_, err := d.exchanged(ctx, http.MethodPost, callPath(c.ID)+"/result",
		map[string]any{"claimId": c.ClaimID, "ok": true, "output": json.RawMessage(output)})
	return err
}

func (d agentDesk) Cancel(ctx context.Context, id permission.CallID, reason string) error {
	_, err := d.exchanged(ctx, http.MethodPost, callPath(id)+"/cancel", map[string]any{"reason": reason})
	return err
}

// exchanged sends a request that is answered with a call.
func (d agentDesk) exchanged(ctx context.Context, method, path string, body any) (permission.Call, error) {
	var got restclient.CallAnswer
	err := d.Do(ctx, method, path, body, &got)
	return got.Call, said(err)
}

// said gives what the desk itself has said as an error of its own kind.
func said(err error) error {
	var p *problem
	if errors.As(err, &p) {
		return &permission.Error{Code: p.Code, Message: p.Error(), Call: p.Call}
	}
	return err
}
