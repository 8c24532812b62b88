package mcpwire

import (
	"math"
	"slices"
	"strconv"

	"sekisho/backend/rawjson"
)

// ProgressToken gives the token that a request asks progress under: as written, and
// its key. Requests without one, or with one that is no token, have none.
func ProgressToken(params []byte) (raw []byte, key string, bad *Error) {
	meta, bad := Member(params, "_meta")
	if meta == nil || bad != nil {
		return nil, "", bad
	}
	token, bad := Member(meta, "progressToken")
	if token == nil || bad != nil {
		return nil, "", bad
	}
	key, ok := IDKey(token)
	if !ok {
		return nil, "", nil
	}
	return token, key, nil
}

// Progress is a server's notifications/progress, with where its number stands.
type Progress struct {
	Key   string   // of its token
	spans [][2]int // of the numbers in the message, progress and total, from the left
}

// ReadProgress looks for token and number; ok is false for other notifications.
func ReadProgress(m Message) (p Progress, ok bool) {
	if m.Method != ProgressNote {
		return p, false
	}
	members, err := rawjson.Skim(m.Params)
	if err != nil {
		return p, false
	}
	got, bad := Pick(members, "progressToken", "progress", "total")
	if bad != nil {
		return p, false
	}
	for _, name := range []string{"progress", "total"} {
		if n := got[name]; n.Value != nil {
			p.spans = append(p.spans, [2]int{m.paramsAt + n.ValueStart, m.paramsAt + n.ValueEnd})
		}
	}
	slices.SortFunc(p.spans, func(a, b [2]int) int { return a[0] - b[0] })
	p.Key, ok = IDKey(got["progressToken"].Value)
	return p, ok && got["progress"].Value != nil
}

// Shift adds by to the numbers of a progress notification, so that what is left to
// do stays the same, and leaves all else.
func (p *Progress) Shift(raw []byte, by int64) []byte {
	if by == 0 {
		return raw
	}
	var out []byte
	at := 0
	for _, span := range p.spans {
		number, ok := add(string(raw[span[0]:span[1]]), by)
		if !ok {
			return raw
		}
		out = append(append(out, raw[at:span[0]]...), number...)
		at = span[1]
	}
	return append(out, raw[at:]...)
}

func add(number string, by int64) (string, bool) {
	if n, err := strconv.ParseInt(number, 10, 64); err == nil && n < math.MaxInt64-by {
		return strconv.FormatInt(n+by, 10), true
	}
	f, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return "", false
	}
	return strconv.FormatFloat(f+float64(by), 'f', -1, 64), true
}

// IsToolError reports whether a tool's result says that it is an error.
func IsToolError(result []byte) bool {
	members, err := rawjson.Skim(result)
	if err != nil {
		return false
	}
	for _, m := range members {
		if m.Key == "isError" && string(m.Value) == "true" {
			return true
		}
	}
	return false
}
