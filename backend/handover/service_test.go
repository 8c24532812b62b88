package handover_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sekisho/backend/handover"
	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// rows is a desk with one call.
type rows struct {
	call    permission.Call
	asked   handover.Question
	then    func(*permission.Call) error // what happens while the call waits
	claim   error
	trace   []string
	effect  permission.Effect
	failing error
	waits   int // how often it was said that the call waits
}

func (d *rows) Evaluate(context.Context, handover.Question) (permission.Verdict, error) {
	return permission.Verdict{Decision: d.effect}, d.failing
}

func (d *rows) Ask(_ context.Context, q handover.Question) (permission.Call, error) {
	hash, err := rawjson.Hash(q.ServerID, q.ToolName, q.Input)
	d.asked, d.call.Input, d.call.InputHash, d.call.ToolCallID = q, q.Input, hash, "kept"
	return d.call, errors.Join(err, d.failing)
}

func (d *rows) Wait(ctx context.Context, _ permission.CallID, _ int64) (permission.Call, error) {
	if d.then == nil {
		<-ctx.Done()
		return permission.Call{}, ctx.Err()
	}
	err := d.then(&d.call)
	return d.call, err
}

func (d *rows) Claim(_ context.Context, c permission.Call) (permission.Call, error) {
	d.trace = append(d.trace, "claim "+c.ToolCallID)
	if d.claim != nil {
		return c, d.claim
	}
	d.call.Status = permission.Claimed
	return d.call, nil
}

func (d *rows) Finish(_ context.Context, _ permission.Call, output string) error {
	d.trace = append(d.trace, "finish "+output)
	return nil
}

func (d *rows) Cancel(context.Context, permission.CallID, string) error {
	d.trace = append(d.trace, "cancel")
	return nil
}

func (d *rows) ask(ctx context.Context, schema string) string {
	s := handover.Service{Desk: d, Circumstances: handover.Circumstances{Session: "s", Cwd: "/w", Schema: json.RawMessage(schema),
		Waits: func() { d.waits++ }}}
	if schema == "" {
		s.Schema = nil
	}
	status, err := s.RequestToolApproval(ctx, "mcp__files__write", json.RawMessage(`{"a": 1}`), "t")
	return fmt.Sprintf("%T %+v %v; %s", status, status, err, strings.Join(d.trace, ", "))
}

func becomes(status permission.Status, reason string) func(*permission.Call) error {
	return func(c *permission.Call) error {
		c.Status = status
		c.Decision = &permission.Decision{By: permission.ByPerson, Explanation: permission.Said(reason)}
		return nil
	}
}

const forbidden = "\nIt was not executed. Do not retry the same call; choose another way, or ask the user."

const handed = `; claim kept, finish {"handedOver":true}`

func TestService(t *testing.T) {
	for _, tt := range []struct {
		what, schema, want string
		d                  rows
	}{
		{what: "approved by a rule", want: "handover.Approved {Input:[123 34 97 34 58 32 49 125] Data:[]} <nil>" + handed,
			d: rows{call: permission.Call{Status: permission.Approved}}},
		{what: "denied", want: "handover.Denied {Reason:Denied by a rule: never\nThe call was not executed. ",
			d: rows{call: permission.Call{Status: permission.Denied, Decision: &permission.Decision{Explanation: permission.Said("never")}}}},
		{what: "approved by a person", want: "handover.Approved {Input:[123 34 97 34 58 32 49 125] Data:[]} <nil>" + handed,
			d: rows{then: becomes(permission.Approved, "")}},
		{what: "declined", want: "handover.Denied {Reason:Declined by a person: not so\nThe call was not executed. ",
			d: rows{then: becomes(permission.Declined, "not so")}},
		{what: "cancelled", want: "handover.Denied {Reason:The call was cancelled before it ran: gone\n",
			d: rows{then: becomes(permission.Cancelled, "gone")}},
		{what: "revoked", want: "handover.Denied {Reason:The call was approved, and forbidden before it ran: gone\n",
			d: rows{then: becomes(permission.Revoked, "gone")}},
		{what: "expired",
			want: "handover.TimedOut {Reason:Approval timeout", d: rows{then: becomes(permission.Expired, "Approval timeout: nobody answered")}},
		{what: "revoked at the claim", want: "handover.Denied {Reason:The call was approved, and forbidden before it ran: later" + forbidden + " Stopped:false} <nil>; claim kept",
			d: rows{call: permission.Call{Status: permission.Approved},
				claim: &permission.Error{
					Call: &permission.Call{Status: permission.Revoked, Decision: &permission.Decision{Explanation: permission.Said("later")}}}}},
		{what: "another input", want: "<nil> <nil> the desk answered with another call; cancel", d: rows{then: func(c *permission.Call) error {
			c.Status, c.Input = permission.Approved, json.RawMessage(`{"a":2}`)
			return nil
		}}},
		{what: "a yes without data", schema: `{}`, want: "<nil> <nil> a yes without an answer to the question; cancel",
			d: rows{then: becomes(permission.Approved, "")}},
		{what: "no desk", want: "<nil> <nil> ask the desk: no desk; ", d: rows{failing: errors.New("no desk")}},
		{what: "a desk that goes", want: "handover.Pending {} <nil>; ",
			d: rows{then: func(*permission.Call) error { return errors.New("refused") }}},
		{what: "a desk that does not know the call", want: "<nil> <nil> wait for the desk: not there; cancel",
			d: rows{then: func(*permission.Call) error {
				return &permission.Error{Code: permission.CodeNotFound, Message: "not there"}
			}}},
		{what: "handed over long ago", want: "handover.Denied {Reason:this call was handed over already Stopped:false} <nil>; ",
			d: rows{call: permission.Call{Status: permission.Completed, HandedOver: true}}},
	} {
		t.Run(tt.what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if tt.d.call.Status == "" {
					tt.d.call.Status = permission.Pending
				}
				if got := tt.d.ask(t.Context(), tt.schema); !strings.HasPrefix(got, tt.want) {
					t.Errorf("got %s\nwant %s", got, tt.want)
				}
				if q := tt.d.asked; *q.ServerID != "files" || q.ToolName != "write" || q.SessionID != "s" ||
					q.RunID != "s" || !q.Joins || *q.Cwd != "/w" ||
					q.ResumeRequired != (tt.schema != "") {
					t.Errorf("asked %+v", q)
				}
				if waited := tt.d.then != nil; (tt.d.waits > 0) != waited {
					t.Errorf("it was said %d times that the call waits", tt.d.waits)
				}
			})
		})
	}
}

func TestServiceOfALeaver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, leave := context.WithTimeout(t.Context(), time.Minute)
		defer leave()
		d := rows{call: permission.Call{Status: permission.Pending}}
		if got := d.ask(ctx, ""); !strings.HasSuffix(got, "deadline exceeded; cancel") {
			t.Error(got)
		}
	})
}

// The yes to a call that another door of the client has handed over a moment ago is given.
func TestServiceJoins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		until := permission.TimeOf(time.Now().Add(time.Minute))
		d := rows{call: permission.Call{Status: permission.Claimed, LeaseExpiresAt: until}, then: func(c *permission.Call) error {
			c.Status, c.HandedOver = permission.Completed, true
			return nil
		}}
		if got := d.ask(t.Context(), ""); !strings.HasPrefix(got, "handover.Approved") || len(d.trace) > 0 {
			t.Error(got)
		}
	})
}

func TestNoop(t *testing.T) {
	var told strings.Builder
	status, err := handover.Noop{Told: &told}.RequestToolApproval(t.Context(), "Bash", json.RawMessage(`{}`), "t")
	if yes, ok := status.(handover.Approved); err != nil || !ok || string(yes.Input) != `{}` || strings.Count(told.String(), "\n") != 1 {
		t.Errorf("%+v %v %q", status, err, told.String())
	}
}
