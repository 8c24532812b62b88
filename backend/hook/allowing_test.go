package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// allowing is a desk that allows every call, and keeps what it was asked.
type allowing struct {
	refusing
	asked []permission.Request
	call  permission.Call
}

func (d *allowing) Ask(_ context.Context, _ permission.Agent, r permission.Request) (permission.Call, bool, error) {
	d.asked = append(d.asked, r)
	hash, err := rawjson.Hash(r.ServerID, r.ToolName, r.Input)
	if err != nil {
		return permission.Call{}, false, err
	}
	d.call = permission.Call{ID: "c", RunID: r.RunID, ToolCallID: r.ToolCallID, ServerID: r.ServerID, Method: r.Method, ToolName: r.ToolName,
		Input: r.Input, InputHash: hash, Status: permission.Approved}
	return d.call, true, nil
}

func (d *allowing) Claim(context.Context, permission.Agent, permission.CallID, permission.ClaimRequest) (permission.Call, error) {
	d.call.Status = permission.Claimed
	return d.call, nil
}

func (d *allowing) Finish(context.Context, permission.Agent, permission.CallID, permission.Outcome) (permission.Call, error) {
	d.call.Status = permission.Completed
	return d.call, nil
}

func (d *allowing) Leave(context.Context, permission.Agent, permission.CallID) (permission.Call, error) {
	return d.call, nil
}

func (*allowing) Answerable(context.Context, permission.CallID) error { return nil }

// answer takes an event to its answer.
func (d *allowing) answer(t *testing.T, client string, raw []byte) (*attempt, Answer) {
	door := New(d, Options{Entries: func(string, string) []Entry { return []Entry{{Name: "files"}} }})
	defer door.Close()
	a := &attempt{door: door, dialect: clients[client], client: client}
	return a, door.answer(t.Context(), a, raw)
}

// TestRecordedEventsAreAllowed where the desk says so.
func TestRecordedEventsAreAllowed(t *testing.T) {
	for name, raw := range recorded(t) {
		client, _, _ := strings.Cut(name, "-")
		desk := &allowing{}
		a, got := desk.answer(t, client, raw)
		if !strings.HasPrefix(name, "opencode-permission") && (got.Exit != 0 || len(desk.asked) != 1 && !a.q.ours) {
			t.Errorf("%s: %+v, asked %d times", name, got, len(desk.asked))
		}
	}
}

// FuzzAllowedEvents: exit code 0 says yes to the very event that the desk was asked about: its
// session, its tool and its input, as another reader finds them in it.
func FuzzAllowedEvents(f *testing.F) {
	for name, raw := range recorded(f) {
		client, _, _ := strings.Cut(name, "-")
		f.Add(client, raw)
	}
	for _, c := range documented {
		f.Add(c[0], []byte(c[1]))
	}
	f.Fuzz(func(t *testing.T, client string, raw []byte) {
		if clients[client] == nil {
			return
		}
		desk := &allowing{}
		a, got := desk.answer(t, client, raw)
		switch {
		case got.Exit != 0 || a.q.ours:
			if desk.call.Status == permission.Completed {
				t.Errorf("%s: allowed, and told %+v: %s", client, got, raw)
			}
			return
		case len(desk.asked) != 1:
			t.Fatalf("%s: %+v, and the desk was asked %d times: %s", client, got, len(desk.asked), raw)
		}
		var event map[string]any
		if err := decode(raw, &event); err != nil {
			t.Fatalf("%s: yes to what is no JSON: %v: %s", client, err, raw)
		}
		if client == "opencode" {
			in, _ := event["input"].(map[string]any)
			out, _ := event["output"].(map[string]any)
			event = map[string]any{"session_id": in["sessionID"], "tool_name": in["tool"], "tool_input": out["args"]}
		}
		asked := desk.asked[0]
		one := func(names ...string) any {
			for _, name := range names {
				if value, ok := event[name]; ok {
					return value
				}
			}
			return nil
		}
		if session := one("session_id", "sessionId", "conversation_id"); session != string(asked.SessionID) {
			t.Errorf("%s: the desk was asked about session %q: %s", client, asked.SessionID, raw)
		}
		if client == "cursor" { // some of its events name no tool, and have their input in other members
			return
		}
		if tool, _ := one("tool_name", "toolName").(string); !strings.HasSuffix(tool, asked.ToolName) && asked.ServerID == nil {
			t.Errorf("%s: the desk was asked about tool %q: %s", client, asked.ToolName, raw)
		}
		var input any
		if err := decode(asked.Input, &input); err != nil {
			t.Fatalf("%s: %v: %s", client, err, asked.Input)
		}
		want := one("tool_input", "toolArgs", "toolInput")
		if table, ok := want.(map[string]any); ok && client == "codex" && a.q.event == permissionRequest && asked.ServerID == nil {
			delete(table, "description") // why it is asked about is no part of the input
		}
		if !reflect.DeepEqual(input, want) {
			t.Errorf("%s: the desk was asked about input %s: %s", client, asked.Input, raw)
		}
	})
}

// decode reads JSON with its numbers as they stand.
func decode(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return d.Decode(into)
}
