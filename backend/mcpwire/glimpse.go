package mcpwire

import (
	"bytes"
	"encoding/json"
)

// MaxHead is how much is kept of a message over the limit, in bytes: enough to tell what
// it was.
const MaxHead = 512

// Glimpse tells by the beginning of a server's message what kind of message it is, and of
// a response the key of its id where that comes first. ok is false where the beginning
// does not tell.
func Glimpse(head []byte) (key string, what Kind, ok bool) {
	d := json.NewDecoder(bytes.NewReader(head))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return "", 0, false
	}
	what = Notification
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return "", 0, false
		}
		switch name {
		case "method":
			return "", what, true
		case "result", "error":
			return key, Response, true
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return "", 0, false
		}
		if name == "id" {
			what = Request
			key, _ = IDKey(value)
		}
	}
	return "", 0, false
}

// HeadOf is what is kept of a message over the limit.
func HeadOf(raw []byte) []byte { return bytes.Clone(raw[:min(len(raw), MaxHead)]) }
