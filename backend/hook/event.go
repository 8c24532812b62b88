package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"sekisho/backend/rawjson"
)

// question is what an event asks.
type question struct {
	event   string // as the client calls it
	session string
	id      string  // the client's id of the call; "" has none
	server  *string // the client's name of the server; nil: a tool of the client's own
	tool    string
	input   []byte
	cwd     *string
	// subagent is what the client calls the helper that it gave the work to; nil is none.
	subagent *string
	// follows says that the client has asked about the same call before, by another event.
	follows bool
	// source is where the client has the entry of the tool's server from; "" where it does not say.
	source string
	// ours says that the client asks a person about this tool itself: the desk has no opinion.
	ours bool
}

// Answer is what the program does: it prints both texts, and exits so.
type Answer struct {
	Exit   int    `json:"exit"`
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr"`
}

// dialect is how a client writes events and reads answers.
type dialect struct {
	name string // as people know the client
	read func(event fields, has known) (question, error)
	// allow is what the client reads as a yes. edited is the input that a person has made of
	// its own; nil is none. ok is false where the client takes no other input.
	allow func(q *question, edited []byte) (stdout string, ok bool)
	deny  func(q *question, reason string) Answer // nil is refusal
	// ask has the client ask a person itself; "" is what it cannot.
	ask func(q *question) string
	// later has the client end and ask again when it goes on; nil is what it cannot.
	later func(q *question) string
}

// refusal is the no that most clients understand. It always has a reason: some take exit code
// 2 without one for a yes.
func refusal(_ *question, reason string) Answer {
	if strings.TrimSpace(reason) == "" {
		reason = "Sekisho did not allow this, and gave no reason."
	}
	return Answer{Exit: 2, Stderr: reason + "\n"}
}

// fields are the members of an event by their names.
type fields map[string][]byte

var errNoEvent = errors.New("this is no event of this client")

// readFields reads an object strictly: what is judged and what the client executes must be
// read alike.
func readFields(raw []byte) (fields, error) {
	if err := rawjson.Check(raw, rawjson.MaxInputDepth+1); err != nil {
		return nil, err
	}
	members, err := rawjson.Members(raw)
	if err != nil {
		return nil, err
	}
	all := make(fields, len(members))
	for name, value := range rawjson.Values(members) {
		all[name] = value
	}
	return all, nil
}

// text gives a member that is a string; "" is none. Where it is something else, the event is
// no event.
func (f fields) text(name string) (s string, err error) {
	raw, there := f[name]
	if !there || string(raw) == "null" {
		return "", nil
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", fmt.Errorf("%s is no text", name)
	}
	return s, nil
}

// below gives a member that is an object; without one it is empty.
func (f fields) below(name string) (fields, error) {
	raw, there := f[name]
	if !there || string(raw) == "null" {
		return nil, nil
	}
	inner, err := readFields(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return inner, nil
}

// said are the names of the members that most clients have.
type said struct{ event, session, id, tool, input string }

var (
	snake = said{"hook_event_name", "session_id", "tool_use_id", "tool_name", "tool_input"}
	camel = said{"hookName", "sessionId", "toolUseId", "toolName", "toolInput"}
)

// question reads the members of an event that has them by these names.
func (names said) question(f fields) (q question, err error) {
	var cwd, subagent string
	for _, m := range []struct {
		name string
		to   *string
	}{{names.event, &q.event}, {names.session, &q.session}, {names.id, &q.id}, {names.tool, &q.tool}, {"cwd", &cwd},
		{"agent_type", &subagent}} {
		if *m.to, err = f.text(m.name); err != nil {
			return q, err
		}
	}
	if subagent != "" {
		q.subagent = &subagent
	}
	if q.input = f[names.input]; q.session == "" || q.tool == "" || q.input == nil {
		return q, errNoEvent
	}
	if cwd != "" {
		q.cwd = &cwd
	}
	return q, nil
}

// object is a JSON object of names and values in turn; the values are JSON already.
func object(pairs ...string) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quoted(pairs[i]) + ":" + pairs[i+1])
	}
	return "{" + b.String() + "}"
}

func quoted(s string) string { return string(rawjson.AppendString(nil, s)) }
