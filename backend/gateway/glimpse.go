package gateway

import (
	"bytes"
	"encoding/json"
)

// maxHead is how much is kept of a message over the limit, in bytes: enough to tell what
// it was.
const maxHead = 512

// glimpse tells by the beginning of a server's message what kind of message it is, and of
// a response the key of its id where that comes first. ok is false where the beginning
// does not tell.
func glimpse(head []byte) (key string, what kind, ok bool) {
	d := json.NewDecoder(bytes.NewReader(head))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return "", 0, false
	}
	what = notification
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return "", 0, false
		}
		switch name {
		case "method":
			return "", what, true
		case "result", "error":
			return key, response, true
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return "", 0, false
		}
		if name == "id" {
			what = request
			key, _ = idKey(value)
		}
	}
	return "", 0, false
}

// headOf is what is kept of a message over the limit.
func headOf(raw []byte) []byte { return bytes.Clone(raw[:min(len(raw), maxHead)]) }
