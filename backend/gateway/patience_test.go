package gateway

import (
	"testing"
	"time"
)

func TestPatience(t *testing.T) {
	const otherwise = 50 * time.Second
	var p patience
	by := func(client string) agentClient { return agentClient{"a", client} }
	for client, want := range map[string]time.Duration{"": otherwise, "someone": otherwise, "codex-mcp-client": 300 * time.Second, "Claude-Code": time.Hour, "Visual Studio Code - Insiders": 180 * time.Second} {
		if got := p.wait(by(client), otherwise); got != want {
			t.Errorf("%q waits %s", client, got)
		}
	}
	p.note(by("codex-mcp-client"), leaving{40 * time.Second, false})
	p.note(by("codex-mcp-client"), leaving{90 * time.Second, false}) // a person stops it when they like
	for range 2 {
		p.note(by("someone"), leaving{2 * time.Second, true}) // too short to be a limit
		p.note(by(""), leaving{20 * time.Second, true})
	}
	p.note(by("someone"), leaving{20 * time.Second, true}) // once is no evidence
	if len(p.learnt) > 0 {
		t.Errorf("learnt of chance: %v", p.learnt)
	}
	p.note(by("codex-mcp-client"), leaving{91 * time.Second, false})
	if got := p.wait(by("codex-mcp-client"), otherwise); got != 91*time.Second {
		t.Errorf("twice after the same time: waits %s", got)
	}
	p.note(by("someone"), leaving{30 * time.Second, true})
	if got := p.wait(by("someone"), otherwise); got != 30*time.Second {
		t.Errorf("it said twice that its time was over: waits %s", got)
	}
	p.note(by("someone"), leaving{100 * time.Second, true})
	if got := p.wait(by("someone"), otherwise); got != 30*time.Second {
		t.Errorf("what was learnt was lengthened: waits %s", got)
	}
	if got := p.wait(agentClient{"b", "someone"}, otherwise); got != otherwise {
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

func TestTimeoutsAreKnownByTheirWords(t *testing.T) {
	for raw, want := range map[string]bool{`"McpError: MCP error -32001: Request timed out"`: true, `"Timeout"`: true, `"the user stopped it"`: false, `7`: false, ``: false} {
		if saysTimeout([]byte(raw)) != want {
			t.Errorf("%s", raw)
		}
	}
	for raw, want := range map[string]string{`{"name":"x"}`: "x", `{}`: "", `7`: ""} {
		if clientOf([]byte(raw)) != want {
			t.Errorf("%s", raw)
		}
	}
}

func TestAServerThatCrashesRests(t *testing.T) {
	now := time.Unix(1e9, 0)
	var v sight
	for i, want := range []time.Duration{0, 0, time.Second, 2 * time.Second, 4 * time.Second} {
		v.crashed(now)
		if rest := max(0, v.until.Sub(now)); rest != want {
			t.Errorf("crash %d: it rests for %s", i+1, rest)
		}
	}
	for range 100 {
		v.crashed(now)
	}
	if rest := v.until.Sub(now); rest != time.Minute {
		t.Errorf("it rests for %s at most", rest)
	}
	g := &Gateway{seen: map[string]*sight{"a": {crashes: 3, until: time.Now().Add(time.Hour)}}}
	if g.resting("a") == nil || g.resting("b") != nil {
		t.Error("the wrong server rests")
	}
}
