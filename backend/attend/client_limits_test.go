package attend

import (
	"testing"
	"time"
)

func TestLimits(t *testing.T) {
	const known = 300 * time.Second
	var p limits
	by := func(client string) agentClient { return agentClient{"a", client} }
	p.note(by("codex-mcp-client"), leaving{40 * time.Second, false})
	p.note(by("codex-mcp-client"), leaving{90 * time.Second, false}) // a person stops it when they like
	for range 2 {
		p.note(by("someone"), leaving{2 * time.Second, true}) // too short to be a limit
		p.note(by(""), leaving{20 * time.Second, true})
	}
	p.note(by("someone"), leaving{20 * time.Second, true}) // once is no evidence
	if len(p.learnt) > 0 || p.of(by("someone"), known) != known {
		t.Errorf("learnt of chance: %v", p.learnt)
	}
	p.note(by("codex-mcp-client"), leaving{91 * time.Second, false})
	if got := p.of(by("codex-mcp-client"), known); got != 91*time.Second {
		t.Errorf("twice after the same time: waits %s", got)
	}
	if got := p.of(by("codex-mcp-client"), time.Minute); got != time.Minute {
		t.Errorf("what is known was lengthened: waits %s", got)
	}
	p.note(by("someone"), leaving{30 * time.Second, true})
	if got := p.of(by("someone"), known); got != 30*time.Second {
		t.Errorf("it said twice that its time was over: waits %s", got)
	}
	p.note(by("someone"), leaving{100 * time.Second, true})
	if got := p.of(by("someone"), known); got != 30*time.Second {
		t.Errorf("what was learnt was lengthened: waits %s", got)
	}
	if got := p.of(agentClient{"b", "someone"}, known); got != known {
		t.Errorf("another agent's client of the same name waits %s", got)
	}
	for i := range 3 * maxClients {
		for range 2 {
			p.note(by(string(rune('a'+i%26))+time.Duration(i).String()), leaving{time.Minute, true})
		}
	}
	if len(p.suspect) > maxClients || len(p.learnt) > maxClients {
		t.Errorf("%d, %d names are kept", len(p.suspect), len(p.learnt))
	}
}
