package server

import (
	"context"

	"sekisho/backend/bothways"
	"sekisho/backend/connect"
	"sekisho/backend/permission"
	"sekisho/backend/rest"
)

// tried is what was found of a file's servers before they were moved, and once they were, the
// file as it was written.
type tried struct {
	shown  string
	direct []bothways.Started
	files  []connect.Planned
}

// Try starts the servers of a file as its client does.
func (c *clients) Try(ctx context.Context, id, shown string, choice rest.ClientChoice) (out []rest.ClientTrial, err error) {
	s, err := c.screen(false, choice)
	if err != nil {
		return nil, told(err, notRead)
	}
	survey, err := s.Planned(ctx, id, shown)
	if err != nil {
		return nil, told(err, notRead)
	}
	found := prover(s).Direct(ctx, survey.Files)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.tried[id] = tried{shown: shown, direct: found}
	c.mu.Unlock()
	for _, f := range found {
		out = append(out, trialOf(f))
	}
	return out, nil
}

// moved notes the file as it was written after its servers were tried.
func (c *clients) moved(id, shown string, files []connect.Planned) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.tried[id]; t.shown == shown && len(files) > 0 {
		t.files = files
		c.tried[id] = t
	} else {
		delete(c.tried, id)
	}
}

// Prove starts them as the client will now.
func (c *clients) Prove(ctx context.Context, id string) (out []rest.ClientProof, err error) {
	s, err := c.screen(false, rest.ClientChoice{})
	if err != nil {
		return nil, told(err, notRead)
	}
	c.mu.Lock()
	t := c.tried[id]
	c.mu.Unlock()
	if t.files == nil {
		return nil, permission.NotFound("trial of a client's file")
	}
	for _, p := range prover(s).Behind(ctx, t.files, t.direct) {
		proof := rest.ClientProof{ClientTrial: trialOf(p.Direct), State: string(p.State())}
		if proof.Error = words(p.Behind.Err); proof.Error == "" {
			proof.Missing, proof.Added, proof.Changed = p.Missing, p.Added, p.Changed
		}
		out = append(out, proof)
	}
	return out, ctx.Err()
}

func prover(s *connect.Screen) *bothways.Prover {
	return &bothways.Prover{Environ: s.Places.Environ(), Home: s.Places.Home}
}

func trialOf(s bothways.Started) rest.ClientTrial {
	return rest.ClientTrial{Key: s.Key, ServerID: s.ServerID, Tools: len(s.Tools), Seconds: s.Took.Seconds(), Error: words(s.Err)}
}
