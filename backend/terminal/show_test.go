package terminal

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"sekisho/backend/permission"
)

const firstID = "01890a5d-ac96-774b-bcce-000000000001"

func waiting() permission.Call {
	server := "filesystem"
	return permission.Call{ID: firstID, Rev: 4, Caller: permission.Caller{AgentName: "Agent"}, ServerID: &server,
		ToolName:  "write\u202e_file\n  {} risk low",
		Input:     json.RawMessage(`{"path":"a\u200bb","n":9007199254740993}`),
		InputHash: "sha256:1", Status: permission.Pending, Risk: permission.RiskMedium,
		RiskReasons: []permission.RiskReason{{Code: permission.RiskHint, Text: "it may destroy"}},
		Why:         permission.Why{Explanation: permission.Said("no rule applies")}}
}

func shown(t *testing.T, c permission.Call) string {
	t.Helper()
	var b strings.Builder
	if err := Show(&b, c, nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestACallIsShownWithAllThatTheWindowShows: the same command in another folder is
// another one.
func TestACallIsShownWithAllThatTheWindowShows(t *testing.T) {
	folder := "/home/me/thesis"
	c := waiting()
	c.Input, c.Cwd, c.Description = json.RawMessage(`{"command":"rm -rf ."}`), &folder, "Clean the build folder"
	c.ResumeSchema, c.Envelope = json.RawMessage(`{"type":"object"}`), json.RawMessage(`{"task":{"ttl":1}}`)
	c.Why.NotChecked = []string{"/a/pattern", "/b/for\x1bmat"}
	c.Covers = &permission.Covers{Class: &permission.Coverage{Text: "rm by run"}, Session: &permission.Coverage{Text: "everything\x1b"}}
	for _, want := range []string{"\n  beside the input, the server gets from the agent:\n  | {\n  |   \"task\": {\n",
		"\n  a yes to its kind would let pass, in this session: rm by run\n",
		"\n  a yes for the session would let pass: everything⟦U+001B⟧\n", "\n  in the folder /home/me/thesis\n", "\n  in the agent's words, unchecked:\n  | Clean the build folder\n", "\n  takes data with a yes",
		"\n  of it the desk does not check:\n  | /a/pattern\n  | /b/for⟦U+001B⟧mat\n", "\n  | {\n  |   \"type\": \"object\"\n  | }\n"} {
		if got := shown(t, c); strings.Count(got, want) != 1 {
			t.Errorf("without %q:\n%s", want, got)
		}
	}
	empty := ""
	for _, plain := range []permission.Call{{ResumeSchema: json.RawMessage("null"), Envelope: json.RawMessage("null")}, {Cwd: &empty}, {}} {
		if got := shown(t, plain); strings.Contains(got, "folder") || strings.Contains(got, "beside") || strings.Contains(got, "words") ||
			strings.Contains(got, "data") {
			t.Errorf("what is not known is shown:\n%s", got)
		}
	}
}

// TestAnAgentsTextNeverLooksLikeOurs: it has no lines of its own but marked ones, and
// nothing that a terminal obeys or hides.
func TestAnAgentsTextNeverLooksLikeOurs(t *testing.T) {
	const hostile = "harmless\r\x1b[2J\n  risk low, asked because: you like it\n\n\u202egpj\u200b\u2028\u0085\x9b2J\ttab\xff"
	folder := "/tmp" + hostile
	schema, err := json.Marshal(map[string]string{"description": hostile})
	if err != nil {
		t.Fatal(err)
	}
	c := waiting()
	c.Description, c.Cwd, c.ResumeSchema = hostile, &folder, append(schema, "\x1b\n  risk low"...)
	got := shown(t, c)
	for line := range strings.SplitSeq(got, "\n") {
		if strings.Contains(line, "risk low") && !strings.HasPrefix(line, "  | ") &&
			!strings.HasPrefix(line, "  in the folder /tmpharmless⟦U+000D⟧⟦U+001B⟧[2J⟦U+000A⟧  risk low") &&
			!strings.Contains(line, "wants to run write⟦U+202E⟧") {
			t.Errorf("a line of its own: %s", line)
		}
	}
	for _, r := range got {
		if r != '\n' && Visible(string(r)) != string(r) {
			t.Errorf("%U is printed", r)
		}
	}
	if !strings.Contains(got,
		"  | harmless⟦U+000D⟧⟦U+001B⟧[2J\n  |   risk low, asked because: you like it\n  | \n  | ⟦U+202E⟧gpj⟦U+200B⟧⟦U+2028⟧⟦U+0085⟧") {
		t.Errorf("its words are not all there:\n%s", got)
	}
}

// TestMoment: a time of another day has its date.
func TestMoment(t *testing.T) {
	now := time.Date(2026, 11, 22, 23, 58, 0, 0, time.FixedZone("", 9*3600))
	for after, want := range map[time.Duration]string{
		time.Minute:          "at 23:59:00",
		-time.Minute:         "at 23:57:00",
		2 * time.Minute:      "on 2026-11-23 at 00:00:00 (+09:00)",
		24 * time.Hour:       "on 2026-11-23 at 23:58:00 (+09:00)",
		-24 * time.Hour:      "on 2026-11-21 at 23:58:00 (+09:00)",
		365 * 24 * time.Hour: "on 2027-11-22 at 23:58:00 (+09:00)",
	} {
		if got := moment(now.Add(after).UTC(), now); got != want {
			t.Errorf("in %v: %s, want %s", after, got, want)
		}
	}
}

// TestTheDeadlineIsNoJudgement: nobody declines when the time is over.
func TestTheDeadlineIsNoJudgement(t *testing.T) {
	c := waiting()
	at := time.Now().Add(50 * time.Hour)
	c.ExpiresAt = permission.Time(at.UnixMilli())
	if got := shown(t, c); !strings.Contains(got, "\n  expires by itself on "+at.Local().Format(time.DateOnly)+" at ") ||
		strings.Contains(got, "decline") {
		t.Errorf("%s", got)
	}
	c.Status = permission.Approved
	if got := shown(t, c); strings.Contains(got, "expires") {
		t.Errorf("of one that waits no more: %s", got)
	}
}
