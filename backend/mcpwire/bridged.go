package mcpwire

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	// BridgeHeader says that the caller is on stdio, behind "sekisho mcp", and sent no
	// headers of its own: the desk makes those of a tool's parameters. Its value is a Bridged.
	BridgeHeader = "Sekisho-Stdio"
	// PatienceHeader tells "sekisho mcp" how many seconds its client waits for an answer.
	PatienceHeader = "Sekisho-Patience"
)

// Bridged is what "sekisho mcp" says of a request beside what its client does. Run and Call
// name a tools/call: sent again after a desk ended without an answer, it has the same names,
// so that the desk knows what became of it and executes it once.
type Bridged struct {
	Run, Call string        // "" of what may be sent again as another request
	Waited    time.Duration // how long the client has been waiting
	Beats     int64         // progress that the client has heard
	Again     bool          // a desk had the request already, and did not answer it
}

// maxBridgedName bounds Run and Call, which are UUIDs.
const maxBridgedName = 64

// Header is the header's value.
func (b Bridged) Header() string {
	v := url.Values{"waited": {strconv.FormatInt(b.Waited.Milliseconds(), 10)}}
	if b.Call != "" {
		v.Set("run", b.Run)
		v.Set("call", b.Call)
	}
	if b.Beats > 0 {
		v.Set("beats", strconv.FormatInt(b.Beats, 10))
	}
	if b.Again {
		v.Set("again", "1")
	}
	return v.Encode()
}

// ReadBridged reads the header's value. What cannot be read of it is left out; false where
// there is none at all.
func ReadBridged(value string) (b Bridged, ok bool) {
	if value == "" {
		return b, false
	}
	v, err := url.ParseQuery(value)
	if err != nil {
		return b, true
	}
	number := func(name string) int64 {
		n, err := strconv.ParseInt(cmp.Or(v.Get(name), "0"), 10, 64)
		if err != nil || n < 0 || n > maxBridgedNumber {
			return 0
		}
		return n
	}
	b = Bridged{Waited: time.Duration(number("waited")) * time.Millisecond, Beats: number("beats"), Again: v.Get("again") == "1"}
	if run, call := v.Get("run"), v.Get("call"); bridgedName(run) && bridgedName(call) {
		b.Run, b.Call = run, call
	}
	return b, true
}

// maxBridgedNumber is far above what is said by anybody who means it: eleven days, in
// milliseconds.
const maxBridgedNumber = 1_000_000_000

func bridgedName(s string) bool {
	return s != "" && len(s) <= maxBridgedName && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && r != '-'
	})
}
