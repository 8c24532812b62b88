package gateway

import (
	"testing"
	"time"
)

func TestPatience(t *testing.T) {
	const otherwise = 50 * time.Second
	var p patience
	for client, want := range map[string]time.Duration{"": otherwise, "someone": otherwise, "codex-mcp-client": 300 * time.Second, "Claude-Code": time.Hour, "Visual Studio Code - Insiders": 180 * time.Second} {
		if got := p.of(client, otherwise); got != want {
			t.Errorf("%q waits %s", client, got)
		}
	}
	p.left("codex-mcp-client", 40*time.Second, false)
	p.left("codex-mcp-client", 90*time.Second, false) // a person stops it when they like
	p.left("someone", 2*time.Second, true)            // too short to be a limit
	p.left("", 20*time.Second, true)
	if p.of("codex-mcp-client", otherwise) != 300*time.Second || p.of("someone", otherwise) != otherwise || p.of("", otherwise) != otherwise {
		t.Errorf("learnt of chance: %v", p.learnt)
	}
	p.left("codex-mcp-client", 91*time.Second, false)
	if got := p.of("codex-mcp-client", otherwise); got != 91*time.Second {
		t.Errorf("twice after the same time: waits %s", got)
	}
	p.left("someone", 20*time.Second, true)
	p.left("someone", 30*time.Second, true)
	if got := p.of("someone", otherwise); got != 20*time.Second {
		t.Errorf("it said that its time was over: waits %s", got)
	}
	for i := range 3 * maxClients {
		p.left(string(rune('a'+i%26))+time.Duration(i).String(), time.Minute, true)
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
