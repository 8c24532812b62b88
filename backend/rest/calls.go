package rest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"sekisho/backend/permission"
	"sekisho/backend/projects"
	"sekisho/backend/restwire"
	"sekisho/backend/show"
)

// Calls takes calls in, shows them to those who may see them, hands out the one right to
// execute and takes what came of it.
type Calls interface {
	Ask(ctx context.Context, agent permission.Agent, r permission.Request) (call permission.Call, created bool, err error)
	Cancel(ctx context.Context, agent permission.Agent, id permission.CallID, reason string) (permission.Call, error)
	Claim(ctx context.Context, agent permission.Agent, id permission.CallID, req permission.ClaimRequest) (permission.Call, error)
	Finish(ctx context.Context, agent permission.Agent, id permission.CallID, out permission.Outcome) (permission.Call, error)
	Call(ctx context.Context, who permission.Party, id permission.CallID) (permission.Call, error)
	Wait(ctx context.Context, who permission.Party, id permission.CallID, rev int64) (permission.Call, error)
	List(ctx context.Context, who permission.Party, f permission.CallFilter) (calls []permission.Call, next int64, rev int64, err error)
	// Declined names the tools that a person declined again and again, lately.
	Declined(ctx context.Context) ([]permission.DeclinedTool, error)
}

// callRows are those of an agent's calls.
type callRows struct {
	calls Calls
	lanes *restwire.Lanes
	work  *work
	now   func() time.Time
	look  Sight

	projects *projects.Door // for executors; nil: there are none
}

// maxWait bounds a long poll, in seconds.
const maxWait = 60

func (h *callRows) addCalls(a *restwire.API) {
	restwire.Register(a, restwire.Row{
		Route: "POST /v1/calls", ID: "ask", Who: restwire.Agents, Status: http.StatusCreated,
		Summary: "Ask whether a tool may be called",
		About: "201: the call is new. 200: it is there already, by (runId, toolCallId) or because the same call was asked before and its caller had left. " +
			"Nothing runs by this: an approved call is claimed first. 429: as many calls of the agent wait for a person as may (limits.pendingPerAgent in the settings), " +
			"or their inputs come to 256 MiB.",
		Responses: map[string]*huma.Response{"200": a.Answer("The call as it stands", restwire.JSON, reflect.TypeFor[callBody]())},
	}, h.ask)
	restwire.Register(a, restwire.Row{
		Route: "GET /v1/calls/{id}", ID: "getCall", Who: restwire.Both, Waits: true,
		Summary: "Show a call, or wait for it to change",
		About:   "With wait, answers at once if the call is not pending or its rev is not the given one, else when it changes or the seconds are over, of which 60 are the most.",
	}, h.getCall)
	restwire.Register(a, restwire.Row{
		Route: "GET /v1/calls", ID: "listCalls", Who: restwire.Both,
		Summary: "List calls, newest first",
		About: "An agent sees its own. next is the cursor of the following page, null at the end; a page is cut where its inputs, results and the like come to 4 MiB, with one call at least. " +
			"rev is the journal's sequence number that the list is not older than, now the desk's clock, by which its deadlines are, and desk an id of the desk's run: " +
			"it is another after each start, also over another or a restored data folder, whose rev may be smaller.",
	}, h.listCalls)
	restwire.Register(a, restwire.Row{
		Route: "GET /v1/calls/{id}/input", ID: "getInput", Who: restwire.Both,
		Summary: "Give the input exactly as its caller wrote it",
		About:   "Byte for byte what is shown and what is executed. Inside a call, insignificant white space may be missing. 404 once the input was removed.",
		Responses: map[string]*huma.Response{"200": {Description: "The input",
			Content: map[string]*huma.MediaType{restwire.JSON: {Schema: &huma.Schema{}}}}},
	}, h.getInput)
	restwire.Register(a, restwire.Row{
		Route: "GET /v1/calls/{id}/envelope", ID: "getEnvelope", Who: restwire.Both,
		Summary: "Give the envelope exactly as its caller wrote it",
		About: "What the server gets of a call beside its name and its input: an object of the other members of params, but what of _meta is the caller's own of now. " +
			"404 where there is none, and once the input was removed.",
		Responses: map[string]*huma.Response{"200": {Description: "The envelope",
			Content: map[string]*huma.MediaType{restwire.JSON: {Schema: &huma.Schema{}}}}},
	}, h.getEnvelope)
}

// callBody is the usual answer about one call.
type callBody struct {
	Call permission.Call `json:"call"`
}

type callOut struct{ Body callBody }

// shown is a call as an answer has it.
func shown(c permission.Call) permission.Call {
	c.RiskReasons = list(c.RiskReasons)
	if c.Summary == nil {
		c.Summary = new(show.Brief(&c))
	}
	return c
}

func callAnswer(c permission.Call, err error) (*callOut, error) {
	return &callOut{callBody{shown(c)}}, err
}

type askIn struct {
	Body struct {
		RunID           string          `json:"runId" minLength:"1" maxLength:"256"`
		ToolCallID      string          `json:"toolCallId,omitempty" maxLength:"256" doc:"left out only with joins: the desk makes one of session, tool and input"`
		SessionID       *string         `json:"sessionId,omitempty" nullable:"true" minLength:"1" maxLength:"256" doc:"left out, the run is the session"`
		ServerID        *string         `json:"serverId,omitempty" nullable:"true" doc:"null: a tool inside the agent's own program"`
		ToolName        string          `json:"toolName"`
		Input           json.RawMessage `json:"input,omitempty" doc:"any JSON, kept as sent; left out, it is {}"`
		Description     string          `json:"description,omitempty" doc:"at most 64 KiB"`
		Cwd             *string         `json:"cwd,omitempty" nullable:"true" doc:"at most 4 KiB"`
		TimeoutSeconds  *float64        `json:"timeoutSeconds,omitempty" nullable:"true" exclusiveMinimum:"0" doc:"shortens the desk's own deadline"`
		PatienceSeconds *float64        `json:"patienceSeconds,omitempty" nullable:"true" exclusiveMinimum:"0" doc:"how long the caller means to wait: it is shown, and nothing ends by it; who comes later finds the call by runId and toolCallId"`
		ResumeSchema    json.RawMessage `json:"resumeSchema,omitempty" doc:"a JSON Schema (draft-07, 2019-09 or 2020-12, an object or a boolean, at most 64 KiB) for the resumeData of a decision; null is none. References out of it, and what would cost too much to hold data against, are 422; what of it no data is held against, as a look-ahead, is in the why.notChecked of the call"`
		ResumeRequired  bool            `json:"resumeRequired,omitempty" doc:"a yes without data for the resumeSchema is 422"`
		InputFixed      bool            `json:"inputFixed,omitempty" doc:"the caller's program runs the call with its own input and takes no other: a decision with an edited one is 422"`
		Subagent        *string         `json:"agentSubagent,omitempty" nullable:"true" minLength:"1" maxLength:"256" doc:"the kind of helper that the agent's program gave the work to; null is the agent itself"`
		Joins           bool            `json:"joins,omitempty" doc:"the same question may come by another door of the caller's program: a call of the same toolCallId, or of the same session where one has none, that waits is joined, and within 60 s the yes to one that was handed over is given"`
	}
}

type askOut struct {
	Status int
	Body   callBody
}

func (h *callRows) ask(ctx context.Context, in *askIn) (*askOut, error) {
	req, err := in.request(time.Now())
	if err != nil {
		return nil, err
	}
	call, created, err := h.calls.Ask(ctx, restwire.AgentOf(ctx), req)
	out := &askOut{Status: http.StatusOK, Body: callBody{shown(call)}}
	if created {
		out.Status = http.StatusCreated
	}
	return out, err
}

func (in *askIn) request(now time.Time) (permission.Request, error) {
	b := &in.Body
	r := permission.Request{
		Identity: permission.Identity{RunID: permission.RunID(b.RunID), ToolCallID: b.ToolCallID},
		ServerID: b.ServerID, ToolName: b.ToolName, Input: b.Input, Description: b.Description, Cwd: b.Cwd, ResumeRequired: b.ResumeRequired,
		InputFixed: b.InputFixed, Subagent: b.Subagent, Joins: b.Joins,
	}
	if b.ToolCallID == "" && !b.Joins {
		return r, permission.Invalid("toolCallId", permission.FieldRequired, "a call has an id, or joins another one")
	}
	r.SessionID = permission.SessionID(orEmpty(b.SessionID))
	err := errors.Join(atMost("runId", b.RunID, maxID), atMost("toolCallId", b.ToolCallID, maxID),
		atMost("toolName", b.ToolName, maxName), atMost("serverId", orEmpty(b.ServerID), maxName),
		atMost("description", b.Description, maxDescription), atMost("sessionId", orEmpty(b.SessionID), maxID),
		atMost("cwd", orEmpty(b.Cwd), maxCwd), atMost("agentSubagent", orEmpty(b.Subagent), maxID))
	if err == nil {
		r.ResumeSchema, err = schemaGiven(b.ResumeSchema)
	}
	if b.TimeoutSeconds != nil {
		r.Timeout = seconds(*b.TimeoutSeconds)
	}
	if b.PatienceSeconds != nil {
		r.Patience = permission.TimeOf(now.Add(seconds(*b.PatienceSeconds)))
	}
	return r, err
}

// schemaGiven is a JSON Schema as it was written; nil is none. Whether it is a good
// one is the desk's question.
func schemaGiven(raw json.RawMessage) (json.RawMessage, error) {
	switch {
	case len(raw) == 0 || raw[0] == 'n':
		return nil, nil
	case raw[0] != '{' && raw[0] != 't' && raw[0] != 'f':
		return nil, permission.Invalid("resumeSchema", permission.FieldWrongType, "a JSON Schema is an object or a boolean")
	case len(raw) > maxSchema:
		return nil, permission.Invalid("resumeSchema", permission.FieldTooLong,
			fmt.Sprintf("longer than %d bytes", maxSchema)).With(permission.Param("most", maxSchema))
	}
	return raw, nil
}

type getCallIn struct {
	ID   string  `path:"id"`
	Wait float64 `query:"wait" minimum:"0" doc:"seconds to wait for a change, in plain digits with or without a fraction; more than 60 is 60"`
	Rev  int64   `query:"rev" minimum:"0" doc:"the rev that is known already"`

	revGiven bool
}

// Resolve notes whether a rev was given: no call has the rev 0. It refuses a wait that
// is a number to huma alone, as NaN is.
func (in *getCallIn) Resolve(ctx huma.Context) []error {
	in.revGiven = ctx.Query("rev") != ""
	if wait := ctx.Query("wait"); wait != "" && !plain(wait) {
		return []error{&huma.ErrorDetail{Location: "query.wait", Message: "seconds are plain digits, with or without a fraction"}}
	}
	return nil
}

func (h *callRows) getCall(ctx context.Context, in *getCallIn) (*callOut, error) {
	who := restwire.CallerOf(ctx).Party
	if in.Wait == 0 || in.revGiven && in.Rev == 0 {
		return callAnswer(h.calls.Call(ctx, who, permission.CallID(in.ID)))
	}
	leave, err := h.lanes.Wait(restwire.CallerOf(ctx), restwire.Polls)
	if err != nil {
		return nil, err
	}
	defer leave()
	ctx, cancel := h.work.waiting(ctx, seconds(min(in.Wait, maxWait)))
	defer cancel()
	return callAnswer(h.calls.Wait(ctx, who, permission.CallID(in.ID), in.Rev))
}

type inputOut struct {
	ContentType string `header:"Content-Type"`
	Body        []byte
}

func (h *callRows) getInput(ctx context.Context, in *byID) (*inputOut, error) {
	c, err := h.calls.Call(ctx, restwire.CallerOf(ctx).Party, permission.CallID(in.ID))
	if err == nil && c.InputWiped {
		return nil, &permission.Error{Code: permission.CodeNotFound, Message: "the input of this call was removed; its hash stays"}
	}
	return &inputOut{restwire.JSON, c.Input}, err
}

func (h *callRows) getEnvelope(ctx context.Context, in *byID) (*inputOut, error) {
	c, err := h.calls.Call(ctx, restwire.CallerOf(ctx).Party, permission.CallID(in.ID))
	if err == nil && (c.InputWiped || c.EnvelopeHash == nil) {
		return nil, &permission.Error{Code: permission.CodeNotFound, Message: "this call has no envelope, or it was removed"}
	}
	return &inputOut{restwire.JSON, c.Envelope}, err
}

type listCallsIn struct {
	Status    string `query:"status" doc:"one or more states, with commas between them"`
	RunID     string `query:"runId"`
	SessionID string `query:"sessionId"`
	Text      string `query:"q" maxLength:"256" doc:"text that the tool's, server's, agent's, its helper's or session's name has somewhere, whatever the case of its ASCII letters"`
	Cursor    int64  `query:"cursor" minimum:"0" doc:"next of the page before"`
	Limit     int    `query:"limit" minimum:"1" maximum:"500" default:"100"`
	Order     string `query:"order" enum:"newest,oldest" default:"newest" doc:"oldest: the queue, first come first"`
	Brief     bool   `query:"brief" doc:"leave inputs and results out, which can be large: null stands in their place"`
}

type listCallsOut struct {
	Body struct {
		Calls []permission.Call `json:"calls"`
		Next  *int64            `json:"next"`
		Rev   int64             `json:"rev"`
		Now   permission.Time   `json:"now" doc:"the desk's clock"`

		Declined []permission.DeclinedTool `json:"declined" doc:"for a person who lists what waits: tools that were declined three times or more within ten minutes in a session, without a yes since. Their calls are best shown together"`
		Desk     string                    `json:"desk" doc:"the desk's run: rev counts within one of it"`
	}
}

func (h *callRows) listCalls(ctx context.Context, in *listCallsIn) (*listCallsOut, error) {
	statuses, err := statusesOf(in.Status)
	if err != nil {
		return nil, err
	}
	calls, next, rev, err := h.calls.List(ctx, restwire.CallerOf(ctx).Party, permission.CallFilter{
		Statuses: statuses, RunID: permission.RunID(in.RunID), SessionID: permission.SessionID(in.SessionID), Text: in.Text,
		Before: in.Cursor, Limit: in.Limit, Oldest: in.Order == "oldest", Brief: in.Brief,
	})
	out := &listCallsOut{}
	out.Body.Calls, out.Body.Next, out.Body.Rev, out.Body.Now = list(calls), orNull(next), rev, permission.TimeOf(h.now())
	out.Body.Desk = h.work.run
	for i := range calls {
		calls[i] = shown(calls[i])
		if in.Brief {
			calls[i].Input = nil
		}
	}
	if who := restwire.CallerOf(ctx); err == nil && who.IsOperator() && slices.Contains(statuses, permission.Pending) {
		out.Body.Declined, err = h.calls.Declined(ctx)
	}
	out.Body.Declined = list(out.Body.Declined)
	return out, err
}

func statusesOf(text string) ([]permission.Status, error) {
	var out []permission.Status
	for _, word := range strings.Split(text, ",") {
		status := permission.Status(strings.TrimSpace(word))
		if status == "" {
			continue
		}
		if !slices.Contains(permission.Statuses[:], status) {
			return nil, restwire.BadParam("status", fmt.Sprintf("there is no status %q", status))
		}
		out = append(out, status)
	}
	return out, nil
}

// Sight says of a call what a person is to be shown beside its bytes. An error is a
// fault of the desk.
type Sight func(context.Context, permission.Call) (permission.Look, error)
