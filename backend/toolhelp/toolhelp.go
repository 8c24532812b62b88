// Package toolhelp says to a caller which tools of a server it may use, which will ask and how
// long that takes, and what one of them takes. Of a tool that the caller may not use it says the
// name, the description, the category and the reason, and nothing of its parameters.
package toolhelp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sekisho/backend/authz"
	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// Tool is a tool as its server tells of it.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage // of its input; nil is none
	Category    string          // "" is the permission that it needs
	Example     json.RawMessage // an input; nil is none
}

// Caller is who asks.
type Caller struct {
	permission.Standing
	AgentID permission.AgentID
}

// Verdict is what the rules say of a tool without an input.
type Verdict string

// The verdicts.
const (
	Allowed Verdict = "allowed"
	Asks    Verdict = "asks"
	Denied  Verdict = "denied"
)

// VerdictOf is the word for what the rules would do.
func VerdictOf(e permission.Effect) Verdict {
	switch e {
	case permission.Allow:
		return Allowed
	case permission.Deny:
		return Denied
	}
	return Asks
}

// Live is what is to be expected of a call of a tool now.
type Live struct {
	Permission    Verdict
	Depends       bool   // a condition would have to see the input
	MedianSeconds *int64 // in which half of the last questions about it were answered; nil is not known
}

// Server is a server's tools with its table, before a caller.
type Server struct {
	Tools []Tool
	Table permission.ToolPermissions
	Live  func(tool string) (Live, error)
}

type entry struct {
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Category    string  `json:"category"`
	Permission  Verdict `json:"permission"`
	Depends     bool    `json:"depends"`
	Median      *median `json:"median_wait_seconds,omitempty"`
}

// median is a number of seconds, or null where it is not known.
type median struct{ seconds *int64 }

// MarshalJSON writes the number or null.
func (m *median) MarshalJSON() ([]byte, error) { return json.Marshal(m.seconds) }

func (l *Live) median() *median {
	if l.Permission != Asks {
		return nil
	}
	return &median{l.MedianSeconds}
}

type contextSaid struct {
	CallerType string                `json:"caller_type"`
	Purpose    *permission.Purpose   `json:"session_purpose"`
	AgentID    *permission.AgentID   `json:"agent_id"`
	ProjectID  *permission.ProjectID `json:"project_id"`
}

// orNull is nil of an empty text.
func orNull[T ~string](v T) *T {
	if v == "" {
		return nil
	}
	return &v
}

type overview struct {
	Context     contextSaid       `json:"context"`
	Available   []entry           `json:"available_tools"`
	Unavailable map[string]string `json:"unavailable_info"`
	Total       int               `json:"total_available"`
}

// groups are the tools that a caller may lack something for, with the sentence that names them.
var groups = []struct {
	needs         permission.ToolPermission
	key, sentence string
}{
	{permission.NeedsChat, "chat_tools", "Chat tools (%s) can be used in a session with the purpose chat only."},
	{permission.NeedsTask, "task_tools", "Task tools (%s) can be used in a session with the purpose task only."},
	{permission.NeedsManager, "manager_tools", "Manager tools (%s) need manager privilege."},
	{permission.NeedsWorker, "worker_tools", "Worker tools (%s) need worker privilege."},
	{permission.NeedsCoordinator, "coordinator_tools", "Coordinator tools (%s) need coordinator privilege."},
}

// needs is the permission of a tool by the table; "" is that of a tool which is not in it.
func (s *Server) needs(tool string) permission.ToolPermission {
	if needs, named := s.Table[tool]; named {
		return needs
	}
	return s.Table[permission.AnyTool]
}

func (s *Server) category(t *Tool) string { return cmp.Or(t.Category, string(s.needs(t.Name))) }

// List lists the tools that a caller may use, and says of which kinds the others are.
func (s *Server) List(caller Caller) ([]byte, error) {
	o := overview{Context: contextSaid{caller.CallerType(), orNull(caller.Purpose), orNull(caller.AgentID), orNull(caller.ProjectID)},
		Available: []entry{}, Unavailable: map[string]string{}}
	lacking := map[permission.ToolPermission][]string{}
	for _, t := range s.sorted() {
		needs := s.needs(t.Name)
		if authz.Permits(s.Table, caller.Standing, t.Name) != nil {
			lacking[needs] = append(lacking[needs], t.Name)
			continue
		}
		live, err := s.Live(t.Name)
		if err != nil {
			return nil, err
		}
		o.Available = append(o.Available, entry{t.Name, t.Description, s.category(&t), live.Permission, live.Depends, live.median()})
	}
	for _, g := range groups {
		if names := lacking[g.needs]; len(names) > 0 {
			o.Unavailable[g.key] = fmt.Sprintf(g.sentence, strings.Join(names, ", "))
		}
	}
	o.Total = len(o.Available)
	return write(o)
}

// sorted are the tools by their names, each once.
func (s *Server) sorted() []Tool {
	all := slices.Clone(s.Tools)
	slices.SortStableFunc(all, func(a, b Tool) int { return strings.Compare(a.Name, b.Name) })
	return slices.CompactFunc(all, func(a, b Tool) bool { return a.Name == b.Name })
}

type detail struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Category    string          `json:"category"`
	Available   bool            `json:"available"`
	Parameters  []parameter     `json:"parameters"`
	Example     json.RawMessage `json:"example,omitempty"`
	Permission  Verdict         `json:"permission"`
	Depends     bool            `json:"depends"`
	Median      *median         `json:"median_wait_seconds,omitempty"`
}

type hidden struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Category    string `json:"category"`
	Available   bool   `json:"available"`
	Reason      string `json:"reason"`
}

type unknown struct {
	Name      string `json:"name"`
	Available bool   `json:"available"`
	Reason    string `json:"reason"`
}

// Detail shows one tool. One that is not registered is as unknown as one that there is not.
func (s *Server) Detail(caller Caller, name string) ([]byte, error) {
	all := s.sorted()
	i := slices.IndexFunc(all, func(t Tool) bool { return t.Name == name })
	no := authz.Permits(s.Table, caller.Standing, name)
	if i < 0 || no != nil && no.Code == permission.ReasonToolNotRegistered {
		return write(unknown{Name: name, Reason: authz.NotRegistered(name).Reason})
	}
	t := &all[i]
	if no != nil {
		return write(hidden{Name: t.Name, Description: t.Description, Category: s.category(t), Reason: no.Reason})
	}
	live, err := s.Live(t.Name)
	if err != nil {
		return nil, err
	}
	return write(detail{Name: t.Name, Description: t.Description, Category: s.category(t), Available: true, Parameters: parameters(t.Schema),
		Example: t.Example, Permission: live.Permission, Depends: live.Depends, Median: live.median()})
}

// parameter is one of a tool's, as its schema tells of it.
type parameter struct {
	Name        string          `json:"name"`
	Type        string          `json:"type"`
	Required    bool            `json:"required"`
	Enum        json.RawMessage `json:"enum,omitempty"`
	Description string          `json:"description"`
}

// parameters are those of a schema, in their order. What the schema writes otherwise than as JSON
// Schema has it is left out.
func parameters(schema json.RawMessage) []parameter {
	list := []parameter{}
	var of struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if json.Unmarshal(schema, &of) != nil {
		return list
	}
	members, err := rawjson.Members(of.Properties)
	if err != nil {
		return list
	}
	for _, m := range members {
		p := parameter{Name: m.Key, Type: "any", Required: slices.Contains(of.Required, m.Key)}
		var said map[string]json.RawMessage
		if json.Unmarshal(m.Value, &said) == nil {
			p.Type = typeOf(said["type"])
			_ = json.Unmarshal(said["description"], &p.Description) // else it has none
			if enum := bytes.TrimSpace(said["enum"]); len(enum) > 0 && enum[0] == '[' {
				p.Enum = enum
			}
		}
		list = append(list, p)
	}
	return list
}

// typeOf is the word for a type, or for one of several.
func typeOf(raw json.RawMessage) string {
	var one string
	var several []string
	switch {
	case json.Unmarshal(raw, &one) == nil && one != "":
		return one
	case json.Unmarshal(raw, &several) == nil && len(several) > 0:
		return strings.Join(several, "|")
	}
	return "any"
}

func write(v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("write help: %w", err)
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

// Median is the middle one of waits in milliseconds, in seconds; nil of fewer than five.
func Median(waits []int64) *int64 {
	if len(waits) < 5 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(waits))
	n := len(sorted)
	seconds := (sorted[(n-1)/2] + sorted[n/2] + 1000) / 2000
	return &seconds
}
