package guard

import "fmt"

// Code names why a call is refused.
type Code string

// The codes of refusals.
const (
	CommandNotAllowed  Code = "command_not_allowed"
	PathOutside        Code = "path_outside_workspace"
	FileTypeNotAllowed Code = "file_type_not_allowed"
	FileTooLarge       Code = "file_too_large"
	TimeoutTooLong     Code = "timeout_too_long"
	BadInput           Code = "workspace_input"
)

var sentences = map[Code]string{
	CommandNotAllowed:  "Command not allowed",
	PathOutside:        "Path outside workspace",
	FileTypeNotAllowed: "File type not allowed",
	FileTooLarge:       "File too large",
	TimeoutTooLong:     "Timeout too long",
	BadInput:           "Invalid input",
}

// Refusal is why a call is refused, whatever rules and persons say.
type Refusal struct {
	Code   Code
	Detail string
}

// Error says it in the words of the specification, with the detail behind a colon.
func (r *Refusal) Error() string { return sentences[r.Code] + ": " + r.Detail }

func refuse(code Code, format string, args ...any) *Refusal {
	return &Refusal{Code: code, Detail: fmt.Sprintf(format, args...)}
}
