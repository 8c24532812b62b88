package permission

// Code is what a client branches on. Section 4 of CONTRACT lists the codes.
type Code string

// Codes of errors. The door maps each to its protocol (REST: an HTTP status).
const (
	CodeInvalid        Code = "invalid"   // bad content; Field says where
	CodeMalformed      Code = "malformed" // not the strict JSON that we take
	CodeNotFound       Code = "not_found" // no such thing, or another agent's
	CodeForbidden      Code = "forbidden" // not for this caller
	CodeSelfApproval   Code = "self_approval_forbidden"
	CodeCallConflict   Code = "call_conflict" // same identity, other input
	CodeAlreadyDecided Code = "already_decided"
	CodeExpired        Code = "expired"
	CodeCancelled      Code = "cancelled"
	CodeDenied         Code = "denied"
	CodeRevoked        Code = "revoked"
	CodeNotApproved    Code = "not_approved"
	CodeAlreadyClaimed Code = "already_claimed"
	CodeHashMismatch   Code = "hash_mismatch"
	CodeStale          Code = "stale"           // rev moved on
	CodeResultConflict Code = "result_conflict" // another result, or not the claim's holder
	CodeLostUpdate     Code = "lost_update"     // If-Match did not match
	CodeExists         Code = "already_exists"
	CodeTooMany        Code = "too_many_pending"
	CodeTooManyMembers Code = "too_many_members" // more members and elements than limits.inputMembers; Field says where
	CodeUnavailable    Code = "unavailable"      // the desk is closing or its store does not answer
)

// Codes of what agents do together; see package coordination.
const (
	CodeTooManyKept     Code = "too_many"         // over a bound of a project: its tasks, its messages, or those of an agent in a minute
	CodeAlreadyReported Code = "already_reported" // the task has ended otherwise
	CodeNoTask          Code = "no_task"          // the session has none to report
	CodeNotActive       Code = "not_active"       // the conversation takes no message now
	CodeTaskTaken       Code = "task_taken"       // somebody works on the task, or it is done
)

// Error is an answer that a client can branch on. Anything else that a room
// returns is a fault of ours.
type Error struct {
	Code    Code      `json:"code"`
	Message string    `json:"message"`
	Field   string    `json:"field,omitempty"` // path of the bad field, for CodeInvalid
	Fault   FieldCode `json:"fault,omitempty"` // what is wrong with that
	Params  Params    `json:"params"`          // of Fault
	Call    *Call     `json:"call,omitempty"`  // the call as it stands, for conflicts
}

func (e *Error) Error() string {
	if e.Field != "" {
		return e.Field + ": " + e.Message
	}
	return e.Message
}

// Is makes errors.Is compare by code alone.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// Invalid is bad content in one field.
func Invalid(field string, fault FieldCode, message string) *Error {
	return &Error{Code: CodeInvalid, Field: field, Fault: fault, Message: message}
}

// With is the same error with params of its fault.
func (e *Error) With(p Params) *Error {
	out := *e
	out.Params = p
	return &out
}

// At is the same error in another field.
func (e *Error) At(field string) *Error {
	out := *e
	out.Field = field
	return &out
}

// NotFound says that there is no such thing for this caller. It never tells
// another agent's id from an unknown one.
func NotFound(what string) *Error {
	return &Error{Code: CodeNotFound, Message: "no such " + what}
}
