package acp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"sekisho/backend/handover"
	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
	"sekisho/backend/risk"
)

// Methods that a relay reads; it passes all but the first on.
const (
	askMethod    = "session/request_permission"
	cancelMethod = "session/cancel"
	newMethod    = "session/new"
	promptMethod = "session/prompt"
)

// message is what is read of a line beside permission requests.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		SessionID string `json:"sessionId"`
		Cwd       string `json:"cwd"`
	} `json:"params"`
	Result struct {
		SessionID string `json:"sessionId"`
	} `json:"result"`
}

// keyOf is an id as programs tell ids apart; ok is false where it is no text or number.
func keyOf(id json.RawMessage) (key string, ok bool) {
	var v any
	if json.Unmarshal(id, &v) != nil {
		return "", false
	}
	switch v := v.(type) {
	case string:
		return "s" + v, true
	case float64:
		return "n" + strconv.FormatFloat(v, 'g', -1, 64), true
	}
	return "", false
}

// may reports whether a line can name a word of the protocol at all: literally, or with
// letters that are escaped.
func may(line []byte, word string) bool {
	return bytes.Contains(line, []byte(word)) || bytes.Contains(line, []byte(`\u`))
}

// named gives the values of all members of an object, or of the objects of a list, by a name
// in any letter case: one of them is what some reader of JSON takes. An error says that no
// reader can take the whole for JSON.
func named(raw []byte, name string) (values []json.RawMessage, err error) {
	raw = bytes.TrimFunc(raw, func(r rune) bool { return r == '\ufeff' || unicode.IsSpace(r) })
	d := json.NewDecoder(bytes.NewReader(raw))
	begin, err := d.Token()
	_, many := begin.(json.Delim)
	for err == nil && many && d.More() {
		var value json.RawMessage
		var key json.Token
		if begin == json.Delim('{') {
			key, err = d.Token()
		}
		if err == nil {
			err = d.Decode(&value)
		}
		word, isText := key.(string)
		switch {
		case err != nil:
		case isText && strings.EqualFold(word, name):
			values = append(values, value)
		case begin == json.Delim('[') && value[0] == '{':
			var inner []json.RawMessage
			inner, err = named(value, name)
			values = append(values, inner...)
		}
	}
	if err == nil && many {
		_, err = d.Token()
	}
	if err == nil {
		if _, err = d.Token(); errors.Is(err, io.EOF) {
			return values, nil
		}
		err = errors.New("more than one value")
	}
	return values, err
}

// asks reports whether a line of an agent may be taken for a permission request.
func asks(line []byte) bool {
	if !may(line, "request_permission") {
		return false
	}
	methods, err := named(line, "method")
	if err != nil {
		return bytes.IndexByte(line, '{') >= 0 // who cuts lines otherwise may find one in it
	}
	for _, raw := range methods {
		var method string
		if json.Unmarshal(raw, &method) == nil && method == askMethod {
			return true
		}
	}
	return false
}

// answers reports whether a line of an editor may be taken for the answer to a permission
// request: nothing else has an outcome in its result.
func answers(line []byte) bool {
	if !may(line, "outcome") {
		return false
	}
	results, err := named(line, "result")
	if err != nil {
		return bytes.IndexByte(line, '{') >= 0
	}
	for _, result := range results {
		if outcomes, err := named(result, "outcome"); err == nil && len(outcomes) > 0 {
			return true
		}
	}
	return false
}

// ask is a permission request.
type ask struct {
	session string
	callID  string
	tool    string
	input   []byte
	title   []byte           // where there is no other input; nil: there is
	words   string           // of the agent, to be shown
	yes, no *json.RawMessage // the options of kind allow_once and reject_once; nil: there is none
}

var errStrict = errors.New("it cannot be read strictly")

// strictly gives the members of an object that every reader of JSON reads alike.
func strictly(raw []byte, names ...string) (map[string]json.RawMessage, error) {
	members, err := rawjson.Members(raw)
	if err != nil {
		return nil, errStrict
	}
	got := map[string]json.RawMessage{}
	for key, value := range rawjson.Values(members) {
		got[key] = value
	}
	for _, name := range names {
		if same, err := named(raw, name); err != nil || len(same) != 1 || got[name] == nil {
			return nil, fmt.Errorf("%s is not there, or is there more than once", name)
		}
	}
	return got, nil
}

// readAsk reads the line of a permission request.
func readAsk(line []byte) (a ask, err error) {
	top, err := strictly(line, "id", "method", "params")
	if err != nil {
		return a, err
	}
	params, err := strictly(top["params"], "sessionId", "toolCall", "options")
	if err != nil {
		return a, err
	}
	call, err := strictly(params["toolCall"], "toolCallId")
	if err != nil {
		return a, err
	}
	var title, kind string
	for _, m := range []struct {
		raw json.RawMessage
		to  *string
	}{{params["sessionId"], &a.session}, {call["toolCallId"], &a.callID}, {call["title"], &title}, {call["kind"], &kind}} {
		if m.raw != nil && json.Unmarshal(m.raw, m.to) != nil {
			return a, errors.New("a name in it is no text")
		}
	}
	a.tool = toolOf(title, kind)
	a.input, a.words = inputOf(call, title, kind)
	if raw := call["rawInput"]; raw == nil || string(raw) == "null" {
		a.title = call["title"]
	}
	return a, a.choose(params["options"])
}

// maxTool bounds the name of a tool, in bytes, as the desk does.
const maxTool = 256

// toolOf is the name that the call has at the desk. The kind is one of the protocol's few
// words, which rules can be about; a title is made anew for each call. Both are what the agent
// says, and nobody checks them: a rule about the tool alone trusts the agent's word.
func toolOf(title, kind string) string {
	switch {
	case kind != "":
		return kind
	case title != "" && len(title) <= maxTool:
		return title
	}
	return "other" // the protocol's kind for what has none
}

// inputOf is the input that is shown and judged, and the agent's words beside it. Where the
// agent did not give its tool's input, all that it says of the call stands there.
func inputOf(call map[string]json.RawMessage, title, kind string) (input []byte, words string) {
	words = "Title: " + title
	if kind != "" {
		words += "\nKind, in the agent's own word: " + kind
	}
	if raw := call["rawInput"]; raw != nil && string(raw) != "null" {
		if places := call["locations"]; places != nil {
			words += "\nLocations: " + string(places)
		}
		return raw, words
	}
	var said []rawjson.Member
	for _, name := range []string{"title", "kind", "locations", "content"} {
		if value := call[name]; value != nil {
			said = append(said, rawjson.Member{RawKey: mcpwire.Quote(name), Value: value})
		}
	}
	return rawjson.Object(said), words + "\nThe agent did not say what input its tool runs with (no rawInput)."
}

// readLine has the title be a command in the input, too, where there is no other and it is what
// would be executed, as Gemini CLI does: its risk, and how far a yes reaches, are then those of
// the line. That a line only reads is not believed of a title.
func (a *ask) readLine(cwd string) {
	if a.title == nil || a.tool != "execute" {
		return
	}
	members, err := rawjson.Members(a.input)
	if err != nil {
		return
	}
	members = slices.DeleteFunc(members, func(m rawjson.Member) bool { return string(m.RawKey) == `"kind"` }) // the tool's name says it
	line := rawjson.Object(append(members, rawjson.Member{RawKey: mcpwire.Quote("command"), Value: a.title}))
	if level, _ := risk.Judge(risk.Call{Tool: a.tool, Input: line, Cwd: cwd}); level != permission.RiskLow {
		a.input, a.words = line, a.words+" Its title is read as a command, too."
	}
}

// choose finds the options. One whose id another option has, too, is not chosen: nobody knows
// which of the two the agent takes.
func (a *ask) choose(raw json.RawMessage) error {
	var options []struct {
		ID   json.RawMessage `json:"optionId"`
		Kind string          `json:"kind"`
	}
	if err := json.Unmarshal(raw, &options); err != nil {
		return errors.New("its options are no list of options")
	}
	ids := map[string]int{}
	for _, o := range options {
		key, _ := keyOf(o.ID)
		ids[key]++
	}
	for i, o := range options {
		key, ok := keyOf(o.ID)
		switch {
		case !ok || ids[key] > 1:
		case o.Kind == "allow_once" && a.yes == nil:
			a.yes = &options[i].ID
		case o.Kind == "reject_once" && a.no == nil:
			a.no = &options[i].ID
		}
	}
	return nil
}

// cancelled is the outcome of a request that nobody answers any more, and of a no where the
// agent offers none for once.
const cancelled = `{"outcome":"cancelled"}`

// outcome is that of an option; without one it is cancelled.
func outcome(option *json.RawMessage) string {
	if option == nil {
		return cancelled
	}
	return `{"outcome":"selected","optionId":` + string(*option) + `}`
}

// response is the line that answers a permission request.
func response(id json.RawMessage, outcome string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{"outcome":%s}}`+"\n", id, outcome)
}

// cancellation is the line that cancels the turn of a session.
func cancellation(session string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%q,"params":{"sessionId":%s}}`+"\n", cancelMethod, mcpwire.Quote(session))
}

// circumstances are those of the request in a folder.
func (a *ask) circumstances(cwd string) handover.Circumstances {
	return handover.Circumstances{Session: a.session, Cwd: cwd, Description: a.words, InputFixed: true, SessionIDs: true}
}
