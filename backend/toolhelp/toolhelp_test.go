package toolhelp_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/authz"
	"sekisho/backend/coordination"
	"sekisho/backend/permission"
	"sekisho/backend/toolhelp"
)

// callers are all that the table tells apart.
var callers = map[string]permission.Standing{
	"no session": {}, "coordinator": {Role: permission.RoleCoordinator},
	"manager task": {Role: permission.RoleManager, Purpose: permission.PurposeTask, ProjectID: "p"},
	"manager chat": {Role: permission.RoleManager, Purpose: permission.PurposeChat, ProjectID: "p"},
	"worker task":  {Role: permission.RoleWorker, Purpose: permission.PurposeTask, ProjectID: "p"},
	"worker chat":  {Role: permission.RoleWorker, Purpose: permission.PurposeChat, ProjectID: "p"},
}

func allowed(string) (toolhelp.Live, error) { return toolhelp.Live{Permission: toolhelp.Allowed}, nil }

// marked is a server with a tool for each permission, one under the star and one that is in no
// table. Each parameter, description of one, enum and example has words of its own.
func marked(star bool) toolhelp.Server {
	s := toolhelp.Server{Table: permission.ToolPermissions{}, Live: allowed}
	for i, needs := range permission.ToolPermissionWords {
		name := fmt.Sprint("tool_", i)
		s.Table[name] = needs
		s.Tools = append(s.Tools, markedTool(name))
	}
	s.Tools = append(s.Tools, markedTool("tool_starred"))
	if star {
		s.Table[permission.AnyTool] = permission.NeedsWorker
	}
	return s
}

// secretsOf are the words of a tool that nobody sees who may not use it.
func secretsOf(name string) []string {
	return []string{"param-" + name + "-end", "about-" + name + "-end", "enum-" + name + "-end", "example-" + name + "-end"}
}

func markedTool(name string) toolhelp.Tool {
	w := secretsOf(name)
	return toolhelp.Tool{Name: name, Description: "describes " + name,
		Schema: fmt.Appendf(nil, `{"type":"object","properties":{%q:{"type":"string","description":%q,"enum":[%q]}},"required":[%q]}`, w[0],
			w[1], w[2], w[0]),
		Example: fmt.Appendf(nil, `{"x":%q}`, w[3])}
}

// TestNothingOfAToolThatMayNotBeUsed is in what help says, to any caller about any tool.
func TestNothingOfAToolThatMayNotBeUsed(t *testing.T) {
	for _, star := range []bool{true, false} {
		s := marked(star)
		for who, standing := range callers {
			caller := toolhelp.Caller{Standing: standing, AgentID: "a"}
			var said []byte
			overview, err := s.List(caller)
			if err != nil {
				t.Fatal(err)
			}
			said = append(said, overview...)
			for _, tool := range s.Tools {
				one, err := s.Detail(caller, tool.Name)
				if err != nil {
					t.Fatal(err)
				}
				said = append(said, one...)
			}
			for _, tool := range s.Tools {
				may := authz.Permits(s.Table, standing, tool.Name) == nil
				for _, word := range secretsOf(tool.Name) {
					if strings.Contains(string(said), word) != may {
						t.Errorf("%s, %s: %s is said: %v", who, tool.Name, word, !may)
					}
				}
				if listed := strings.Contains(string(overview), `"name":"`+tool.Name+`"`); listed != may {
					t.Errorf("%s, %s: listed: %v", who, tool.Name, listed)
				}
			}
		}
	}
}

// TestAHiddenToolHasNoOtherKey, and an unknown one no category.
func TestAHiddenToolHasNoOtherKey(t *testing.T) {
	s := marked(false)
	for who, standing := range callers {
		for _, name := range []string{"tool_0", "tool_1", "tool_2", "tool_3", "tool_4", "tool_5", "tool_6", "tool_starred", "no_tool", "*", ""} {
			raw, err := s.Detail(toolhelp.Caller{Standing: standing}, name)
			if err != nil {
				t.Fatal(err)
			}
			var said map[string]any
			if err := json.Unmarshal(raw, &said); err != nil {
				t.Fatal(err)
			}
			keys := slices.Sorted(maps.Keys(said))
			want := []string{"available", "category", "depends", "description", "example", "name", "parameters", "permission"}
			switch no := authz.Permits(s.Table, standing, name); {
			case no == nil:
			case no.Code == permission.ReasonToolNotRegistered:
				want = []string{"available", "name", "reason"}
			default:
				want = []string{"available", "category", "description", "name", "reason"}
				if said["reason"] != no.Reason {
					t.Errorf("%s, %s: %v", who, name, said["reason"])
				}
			}
			if !slices.Equal(keys, want) || said["available"] != (len(keys) == 8) {
				t.Errorf("%s, %q: %s", who, name, raw)
			}
		}
	}
}

// TestTheAnswersAreThoseOfTheBrief, byte for byte.
func TestTheAnswersAreThoseOfTheBrief(t *testing.T) {
	five := int64(5)
	s := toolhelp.Server{Table: coordination.Permissions(), Live: func(tool string) (toolhelp.Live, error) {
		if tool == "report_completed" {
			return toolhelp.Live{Permission: toolhelp.Asks, Depends: true, MedianSeconds: &five}, nil
		}
		return toolhelp.Live{Permission: toolhelp.Allowed}, nil
	}}
	for _, tool := range coordination.Tools {
		s.Tools = append(s.Tools, toolhelp.Tool{Name: tool.Name, Description: tool.Name, Schema: json.RawMessage(tool.Schema),
			Example: json.RawMessage(tool.Example), Category: tool.Category})
	}
	worker := toolhelp.Caller{Standing: callers["worker task"], AgentID: "agent-001"}
	for name, want := range map[string]string{
		"report_completed": `{"name":"report_completed","description":"report_completed","category":"worker","available":true,"parameters":[` +
			`{"name":"result","type":"string","required":true,"enum":["success","failed","blocked"],"description":"How it ended: success, failed, or blocked by something outside."},` +
			`{"name":"summary","type":"string","required":false,"description":"What was done, in a few sentences."}],` +
			`"example":{"result":"success","summary":"All steps are done."},"permission":"asks","depends":true,"median_wait_seconds":5}`,
		"respond_chat": `{"name":"respond_chat","description":"respond_chat","category":"chat_only","available":false,` +
			`"reason":"Tool 'respond_chat' requires a chat session. Current session purpose is 'task'."}`,
		"nothing": `{"name":"nothing","available":false,"reason":"Tool 'nothing' is not registered."}`,
	} {
		if got, err := s.Detail(worker, name); err != nil || string(got) != want {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	for who, want := range map[string]string{
		"no session": `{"context":{"caller_type":"unauthenticated","session_purpose":null,"agent_id":"agent-001","project_id":null},"available_tools":[` +
			`{"name":"authenticate","description":"authenticate","category":"unauthenticated","permission":"allowed","depends":false},` +
			`{"name":"help","description":"help","category":"unauthenticated","permission":"allowed","depends":false}],"unavailable_info":{` +
			`"chat_tools":"Chat tools (end_conversation, get_pending_messages, respond_chat, send_message, start_conversation) can be used in a session with the purpose chat only.",` +
			`"coordinator_tools":"Coordinator tools (get_agent_action, health_check, list_managed_agents) need coordinator privilege.",` +
			`"manager_tools":"Manager tools (assign_task) need manager privilege.",` +
			`"task_tools":"Task tools (delegate_to_chat_session) can be used in a session with the purpose task only."},"total_available":2}`,
	} {
		if got, err := s.List(toolhelp.Caller{Standing: callers[who], AgentID: "agent-001"}); err != nil || string(got) != want {
			t.Errorf("%s: %s, %v", who, got, err)
		}
	}
}

// TestAHostileSchemaIsLeftOut, and breaks nothing.
func TestAHostileSchemaIsLeftOut(t *testing.T) {
	for schema, want := range map[string]string{
		``: `[]`, `null`: `[]`, `[]`: `[]`, `{"properties":[]}`: `[]`, `{"properties":{"a":1,"a":2}}`: `[]`,
		`{"properties":{"b":true,"a":{"type":["string","null"],"enum":"x","description":5}},"required":["a"]}`: `[{"name":"b","type":"any","required":false,"description":""},` +
			`{"name":"a","type":"string|null","required":true,"description":""}]`,
	} {
		s := toolhelp.Server{Tools: []toolhelp.Tool{{Name: "x", Schema: json.RawMessage(schema)}}, Live: allowed,
			Table: permission.ToolPermissions{"*": permission.NeedsNothing}}
		raw, err := s.Detail(toolhelp.Caller{}, "x")
		if err != nil || !strings.Contains(string(raw), `"parameters":`+want+`,"permission"`) {
			t.Errorf("%s: %s, %v", schema, raw, err)
		}
	}
}

// TestMedian of five and more.
func TestMedian(t *testing.T) {
	for _, c := range []struct {
		waits []int64
		want  int64
	}{{[]int64{1000, 2000, 3000, 4000}, -1}, {[]int64{9000, 1000, 3000, 2000, 4000}, 3}, {[]int64{1000, 1000, 2000, 3000, 9000, 9000}, 3},
		{nil, -1}} {
		got := toolhelp.Median(c.waits)
		if (got == nil) != (c.want < 0) || got != nil && *got != c.want {
			t.Errorf("%v: %v, want %d", c.waits, got, c.want)
		}
	}
}
