package trial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sekisho/backend/mcpwire"
	"sekisho/backend/upstream"
)

// maxResult bounds the message with the result of a tool, in bytes: a file that is read stands in
// it twice.
const maxResult = 320 << 20

// ErrUnknown says that a tool was called, and that nobody knows what became of it.
var ErrUnknown = errors.New("it is not known whether the call ran")

// Call opens a server, calls one of its tools, and ends the server with all that it started. within
// bounds all of it. shown is the version of a file that a person was shown, which a workspace's tools hold
// to; "" is none. ErrUnknown is an error after the call was sent; any other says that it did not run.
func Call(ctx context.Context, within time.Duration, connect Connect, tool string, arguments []byte,
	shown string) (result []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	t := &trial{heard: make(chan heard), over: ctx.Done(), within: within, veil: func() upstream.Redactor { return upstream.NewRedactor(nil) }}
	waits := func(string) bool { return ctx.Err() == nil }
	if t.far, err = connect(maxResult, upstream.Listener{Heard: t.line, Long: t.long, Lost: t.lost, Waits: waits}); err != nil {
		return nil, fmt.Errorf("the server cannot be started: %w", err)
	}
	defer func() {
		cancel()
		t.far.Stop()
		<-t.far.Over()
	}()
	if err = t.begin(ctx); err != nil {
		return nil, err
	}
	name, err := json.Marshal(tool)
	if err != nil {
		return nil, err
	}
	meta := ""
	if shown != "" {
		meta = fmt.Sprintf(`,"_meta":{%s:%s}`, mcpwire.Quote(mcpwire.MetaFileVersion), mcpwire.Quote(shown))
	}
	result, err = t.ask(ctx, mcpwire.CallTool, fmt.Sprintf(`{"name":%s,"arguments":%s%s}`, name, arguments, meta))
	if err != nil {
		return nil, errors.Join(ErrUnknown, err)
	}
	return result, nil
}
