package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"sekisho/backend/attend"
	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/session"
	"sekisho/backend/upstream"
)

// refuse answers without a session's help.
func refuse(w http.ResponseWriter, status int, id []byte, e *mcpwire.Error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(mcpwire.ErrorAnswer(id, e)) // whoever is gone has missed nothing
}

// errLeft says that the caller did not wait for a call that it was allowed.
var errLeft = errors.New("the caller left before the call was sent to the server: it was not executed")

// refusal answers a judged request that was not executed: a tool call with a result for the
// model, and a reading, which has none such, with an error.
func refusal(m mcpwire.Message, r attend.Refusal) []byte {
	if m.Method == mcpwire.CallTool {
		return mcpwire.ToolError(m.ID, r.Words)
	}
	var id *permission.CallID
	if r.Call != nil {
		id = &r.Call.ID
	}
	e := mcpwire.Errorf(mcpwire.CodeRefused, "%s", r.Words)
	e.Data, _ = json.Marshal(map[string]any{"code": r.Code, "callId": id}) // of two texts: always marshals
	return mcpwire.ErrorAnswer(m.ID, e)
}

// kept is the answer to a call that was executed, or may have been, as it was asked for the
// first time; nil where it was not.
func kept(m mcpwire.Message, call *permission.Call) []byte {
	switch call.Status {
	case permission.Completed, permission.Failed:
	case permission.Claimed, permission.InDoubt:
		return mcpwire.ToolError(m.ID, fmt.Sprintf("It is not known whether the call ran: Sekisho, or the client that ran it, ended while it was running (ticket %s). "+
			"It was not run again. Look at what it has done before you repeat it.", call.ID))
	default:
		return nil
	}
	if call.Status == permission.Completed && call.Result != nil || mcpwire.IsToolError(call.Result) {
		return mcpwire.ResultAnswer(m.ID, call.Result)
	}
	if code, _ := mcpwire.Member(call.Result, "code"); code != nil {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":%s}`, m.ID, call.Result)
	}
	return mcpwire.ToolError(m.ID, fmt.Sprintf("The call ran once, and its answer was not kept (ticket %s, %s). It was not run again.",
		call.ID, call.Status))
}

// left reports whether a request that a session's end left unanswered is better not answered
// at all: "sekisho mcp" sends it again, to the next session or the next desk.
func left(out *session.Stream, err error) bool {
	return out != nil && out.Bridged != nil && errors.Is(err, session.ErrClosed)
}

// failure answers a judged request that failed before it was executed; nil where its caller
// has gone, or wants no answer.
func failure(s *session.Session, m mcpwire.Message, out *session.Stream, err error) []byte {
	code, words := mcpwire.CodeInternal, err.Error()
	var e *permission.Error
	switch {
	case errors.Is(err, session.ErrCancelled), errors.Is(err, session.ErrGone), errors.Is(err, errLeft), errors.Is(err, context.Canceled),
		left(out, err):
		return nil
	case errors.Is(err, upstream.ErrEnded):
		words = s.Obituary("the server ended while the call was waiting: it was not executed")
	case errors.Is(err, session.ErrClosed):
		words = "the session ended while the call was waiting: it was not executed"
	case errors.As(err, &e) && (e.Code == permission.CodeMalformed || e.Code == permission.CodeInvalid):
		code, words = mcpwire.CodeParams, e.Error()
	}
	return mcpwire.ErrorAnswer(m.ID, mcpwire.Errorf(code, "%s", words))
}

// onHold refuses what is not judged and does something new all the same.
func onHold(method string) *mcpwire.Error {
	e := mcpwire.Errorf(mcpwire.CodeRefused, "The desk is on hold: %s was not sent to the server. Repeat it when the hold has ended.", method)
	e.Data = []byte(`{"code":"on_hold","callId":null}`)
	return e
}
