package desk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/google/uuid"

	"sekisho/backend/agentbook"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// Demonstration lets the desk itself ask for a harmless call, and executes it. It stands
// before the parts as a door does: none of them knows it, nor its lock.
type Demonstration struct {
	calls     *Calls
	catalogue *Catalogue

	showing sync.Mutex        // guards shown
	shown   permission.CallID // the latest demonstration of this process
}

// Demo has the desk itself ask for a harmless call, which waits for a person even if a
// rule allows it. While one waits already it answers that one, and fresh is false.
// A fresh one is executed by PlayDemo.
func (d *Demonstration) Demo(ctx context.Context) (call permission.Call, fresh bool, err error) {
	d.showing.Lock()
	defer d.showing.Unlock()
	if d.shown != "" {
		if call, err = d.calls.store.Call(ctx, d.shown); err != nil || call.Status == permission.Pending {
			return call, false, told("demonstrate", err)
		}
	}
	agent, err := d.demoAgent(ctx)
	if err != nil {
		return permission.Call{}, false, told("demonstrate", err)
	}
	r, err := demoRequest(d.calls.Now())
	if err != nil {
		return permission.Call{}, false, told("demonstrate", err)
	}
	err = d.calls.current(ctx, func(int64) error {
		sus, _, err := d.calls.judge(ctx, agent, r)
		if err == nil {
			d.alwaysAsk(&sus)
			call, _, err = d.calls.broker.Suspend(ctx, sus)
		}
		return err
	})
	if err == nil {
		d.shown = call.ID
	}
	return call, err == nil, told("demonstrate", err)
}

// demoAgent finds the desk's own agent, made on first use.
func (d *Demonstration) demoAgent(ctx context.Context) (permission.Agent, error) {
	agent, err := d.catalogue.agents.Load().Agent(agentbook.NoToken)
	if !errors.Is(err, permission.NotFound("agent")) {
		return agent, err
	}
	agent, err = d.catalogue.addAgent(ctx, agentbook.DemoName, "", agentbook.NoToken)
	if errors.Is(err, &permission.Error{Code: permission.CodeExists}) {
		return agent, &permission.Error{Code: permission.CodeExists, Message: "an agent that is not the desk's own has the name " + agentbook.DemoName +
			": remove it first"}
	}
	return agent, err
}

// demoRequest is a greeting in the four languages of the window. Its run is a new one,
// and the desk's process waits for it as for a connection of its own.
func demoRequest(at permission.Time) (r permission.Request, err error) {
	id, err := uuid.NewV7()
	if err != nil {
		return r, fmt.Errorf("name run: %w", err)
	}
	input, err := json.Marshal(struct {
		Greeting string          `json:"greeting"`
		At       permission.Time `json:"at"`
	}{"Hello! · こんにちは！ · 你好！ · Привет!", at})
	return permission.Request{Identity: permission.Identity{RunID: permission.RunID(id.String()), ToolCallID: "1", Held: true},
		ToolName: "greet", Input: input}, err
}

// alwaysAsk lets a call wait that a rule allows.
func (d *Demonstration) alwaysAsk(sus *permission.Suspension) {
	c := &sus.Call
	if c.Status != permission.Approved {
		return
	}
	c.Decision, c.Why = nil, permission.Why{Explanation: permission.Explanation{Code: permission.ReasonDemonstration,
		Reason: "a demonstration waits for a person, whatever the rules allow"}}
	settle(c, policy.Decision{Effect: permission.Ask}, d.calls.policy.settings.Load().Deadline(c.Risk))
	sus.Entries = arrival(c)
}

// PlayDemo waits for a demonstration's answer and, if it is a yes, claims it and
// completes it with its own input: all that it does is to say the greeting back. It
// ends with the call, or with ctx; what has been claimed is completed all the same. On an
// error nobody plays the call any more, and Demo asks for another one.
func (d *Demonstration) PlayDemo(ctx context.Context, id permission.CallID) error {
	err := d.playDemo(ctx, id)
	if err != nil {
		d.showing.Lock()
		defer d.showing.Unlock()
		if d.shown == id {
			d.shown = ""
		}
	}
	return told("demonstrate", err)
}

func (d *Demonstration) playDemo(ctx context.Context, id permission.CallID) error {
	for {
		c, err := d.calls.broker.Wait(ctx, id, 0)
		if err != nil {
			return err
		}
		if c.Status == permission.Approved {
			c, err = d.greet(context.WithoutCancel(ctx), c)
		}
		if c.Status == permission.Pending && ctx.Err() == nil {
			continue // it changed, or the rules sent it back to wait
		}
		if c.Status == permission.Pending {
			return nil // who asked ends: the next process says so
		}
		return errors.Join(err, d.calls.LeaveSession(context.WithoutCancel(ctx), c.AgentID, c.SessionID))
	}
}

// greet executes an approved demonstration. Where the rules are against it now, or
// somebody was faster, it answers with the call as it stands.
func (d *Demonstration) greet(ctx context.Context, c permission.Call) (permission.Call, error) {
	agent := permission.Agent{ID: c.AgentID, Name: c.AgentName}
	claimed, err := d.calls.Claim(ctx, agent, c.ID, permission.ClaimRequest{InputHash: c.InputHash, Claimant: agentbook.DemoName,
		Key: string(c.RunID)})
	var conflict *permission.Error
	if errors.As(err, &conflict) && conflict.Call != nil {
		return *conflict.Call, nil
	}
	if err != nil {
		return c, err
	}
	return d.calls.Finish(ctx, agent, c.ID, permission.Outcome{ClaimID: *claimed.ClaimID, OK: true, Output: claimed.Input})
}
