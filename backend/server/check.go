package server

import (
	"context"
	"os/exec"
	"slices"

	"sekisho/backend/connect"
	"sekisho/backend/desk"
	"sekisho/backend/doctor"
	"sekisho/backend/hookcommand"
	"sekisho/backend/hookline"
	"sekisho/backend/permission"
	"sekisho/backend/rest"
)

// Check proves that the client of a file asks this desk.
func (c *clients) Check(ctx context.Context, id string) (rest.ClientCheck, error) {
	s, err := c.screen(false, rest.ClientChoice{Hooks: true})
	if err != nil {
		return rest.ClientCheck{}, told(err, notRead)
	}
	all, err := s.List(ctx)
	i := slices.IndexFunc(all, func(st connect.Standing) bool { return st.ID == id && st.Client.Hooks() })
	switch {
	case err != nil:
		return rest.ClientCheck{}, told(err, notRead)
	case i < 0:
		return rest.ClientCheck{}, permission.NotFound("file of a client")
	}
	select {
	case c.checking <- struct{}{}:
		defer func() { <-c.checking }()
	case <-ctx.Done():
		return rest.ClientCheck{}, ctx.Err()
	}
	d := &doctor.Doctor{Places: s.Places, Program: s.Program, Desk: c.canaries, Runs: exec.LookPath,
		Trust: doctor.CodexTrust(exec.LookPath, s.Places.Home)}
	found := d.Check(ctx, all[i].Client.ID)
	if len(found) == 0 {
		return rest.ClientCheck{}, permission.NotFound("client")
	}
	r := found[0]
	out := rest.ClientCheck{Client: r.Client, Name: r.Name, State: string(r.State), CommandProved: r.Command, ClientProved: r.Whole}
	for _, why := range r.Reasons {
		out.Reasons = append(out.Reasons, rest.ClientFault{Code: string(why.Code), Path: why.Path, Detail: why.Detail, Repair: why.Repair})
	}
	return out, nil
}

// canaries is this desk as the agent of a hook's command asks it.
func (c *clients) canaries(h hookcommand.Command) (doctor.Desk, error) {
	if err := doctor.AsksAt(h, c.url); err != nil {
		return nil, err
	}
	token, err := hookline.ReadToken(h.Door, h.Token, h.Agent)
	if err != nil {
		return nil, err
	}
	agent, err := c.desk.Catalogue.Authenticate(context.Background(), token)
	return canaryDesk{c.desk.Calls, agent}, err
}

// canaryDesk is the desk of this process, for the proofs of an agent.
type canaryDesk struct {
	calls *desk.Calls
	agent permission.Agent
}

// NewCanary makes a nonce.
func (d canaryDesk) NewCanary(ctx context.Context) (string, error) {
	made, err := d.calls.NewCanary(ctx, d.agent)
	return made.Nonce, err
}

// Refused looks for the call among the agent's last that were denied.
func (d canaryDesk) Refused(ctx context.Context, nonce string) (bool, error) {
	last, _, _, err := d.calls.List(ctx, permission.Party{Agent: &d.agent},
		permission.CallFilter{Statuses: []permission.Status{permission.Denied}, Limit: 100})
	return doctor.Refusal(last, nonce), err
}
