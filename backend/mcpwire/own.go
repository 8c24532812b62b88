package mcpwire

import (
	"regexp"
	"slices"

	"sekisho/backend/rawjson"
)

// ownKeys are the members of a call's _meta that are its caller's own of now: they name
// the request and who sends it, and do not say what is to be done. They are no part of
// what is asked for, where they have the form that is known of them. All else of _meta is
// kept, shown and executed as it was approved.
var ownKeys = map[string]func(value []byte) bool{
	"progressToken": isID,

	MetaVersion:      isID,
	MetaLogLevel:     isLogLevel,
	MetaClient:       isClientInfo,
	MetaCapabilities: isSmallObject,

	"traceparent": inForm(traceparent, 64),
	"tracestate":  inForm(tracestate, 512),
	"baggage":     inForm(baggage, 8192),

	// Ids that clients give to a call of theirs; testdata/own.txtar has a call with each.
	"claudecode/toolUseId": isID, // Claude Code
	"callId":               isID, // Codex
	"threadId":             isID,
	"sessionId":            isID,
	"windowId":             isID,
	"itemId":               isID,
}

// The forms of W3C's Trace Context and Baggage.
var (
	traceparent = regexp.MustCompile(`^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)
	tracestate  = regexp.MustCompile(`^` + traceMember + `(,` + traceMember + `)*$`)
	baggage     = regexp.MustCompile(`^` + baggageMember + `(,` + baggageMember + `)*$`)
)

const (
	traceMember = `[a-z0-9_*/@-]+=[\x20-\x2b\x2d-\x3c\x3e-\x7e]+`

	baggageToken  = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
	baggageValue  = `[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*`
	baggageMember = ` ?` + baggageToken + `=` + baggageValue + `(;` + baggageToken + `(=` + baggageValue + `)?)*`
)

const (
	maxOwnID     = 128     // characters
	maxOwnObject = 4 << 10 // bytes
)

// isID reports whether a value is an integer, or a plain word that is short.
func isID(value []byte) bool {
	if len(value) > maxOwnID+2 {
		return false
	}
	if _, ok := IDKey(value); !ok {
		return false
	}
	if value[0] != '"' {
		return true
	}
	for _, c := range value[1 : len(value)-1] {
		switch {
		case c >= '0' && c <= '9', c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c == '_', c == '.', c == ':', c == '-':
		default:
			return false
		}
	}
	return len(value) > 2
}

// LogLevels are those of log messages, the least first.
var LogLevels = [...]string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

func isLogLevel(value []byte) bool {
	level, ok := Text(value)
	return ok && slices.Contains(LogLevels[:], level)
}

// isClientInfo reports whether a value has nothing but what MCP's schema has of a client.
func isClientInfo(value []byte) bool {
	members, err := rawjson.Members(value)
	if err != nil || !isSmallObject(value) {
		return false
	}
	for _, m := range members {
		switch m.Key {
		case "name", "title", "version", "description", "websiteUrl":
			if _, ok := Text(m.Value); !ok {
				return false
			}
		case "icons":
		default:
			return false
		}
	}
	return true
}

func isSmallObject(value []byte) bool { return value[0] == '{' && len(value) <= maxOwnObject }

// inForm reports of texts whether they have a form, written without escapes.
func inForm(form *regexp.Regexp, atMost int) func([]byte) bool {
	return func(value []byte) bool {
		return len(value) >= 2 && len(value) <= atMost+2 && value[0] == '"' && form.Match(value[1:len(value)-1])
	}
}

// OwnOf parts the members of a _meta: those that are the caller's own of now, and the
// others.
func OwnOf(meta []rawjson.Member) (own, others []rawjson.Member) {
	for _, m := range meta {
		if known := ownKeys[m.Key]; known != nil && string(m.RawKey) == `"`+m.Key+`"` && known(m.Value) {
			own = append(own, m)
		} else {
			others = append(others, m)
		}
	}
	return own, others
}
