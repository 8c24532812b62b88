// Package trial starts a tool server once, asks it for its tools or calls one of them, and ends it
// with all that it started.
package trial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"sekisho/backend"
	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/upstream"
)

// Bounds of a trial.
const (
	maxStrange = 100     // lines that are no messages: some servers greet on their output
	maxTried   = 8 << 20 // bytes of one message, and of all lists of tools together
	lastWords  = 4 << 10 // bytes of standard error
)

// Found is what a server said of itself.
type Found struct {
	Tools []permission.OfferedTool
	Words string        // the last of its standard error
	Last  string        // the most telling line of that
	Took  time.Duration // from its start until its tools were known
}

// Connect starts or reaches a server, as upstream.Dialer does.
type Connect func(limit int, to upstream.Listener) (upstream.Server, error)

// Run opens a server as a session would, asks for its tools, and ends it. within bounds
// all of it, and veil gives what is hidden in the words that are told: an error is told to
// a person as it is.
func Run(ctx context.Context, within time.Duration, connect Connect, veil func() upstream.Redactor) (found Found, err error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	t := &trial{heard: make(chan heard), over: ctx.Done(), within: within, veil: veil}
	waits := func(string) bool { return ctx.Err() == nil }
	began := time.Now()
	if t.far, err = connect(maxTried, upstream.Listener{Heard: t.line, Long: t.long, Lost: t.lost, Waits: waits}); err != nil {
		return found, fmt.Errorf("the server cannot be started: %w", err)
	}
	if found.Tools, err = t.run(ctx); err != nil {
		err = &upstream.Redacted{Cause: err, Text: veil().Text(err.Error())}
	}
	found.Took = time.Since(began)
	cancel()
	t.far.Stop()
	<-t.far.Over()
	found.Words, found.Last = veil().Text(t.far.Said(lastWords)), veil().Text(t.far.Last())
	return found, err
}

// trial is one conversation with a server on trial.
type trial struct {
	far     upstream.Server
	header  http.Header // of HTTP, from the agreement on a version on
	heard   chan heard
	over    <-chan struct{} // nobody listens any more
	asked   int
	strange []string // lines that were no messages
	within  time.Duration
	// over the secrets of the server's entry and sign-in: hidden before words are cut, or the beginning of one is left
	veil func() upstream.Redactor
}

// heard is one line of the server.
type heard struct {
	mcpwire.Message
	raw []byte
	bad *mcpwire.Error // not a message, or too long
}

func (t *trial) line(raw []byte, _ upstream.Origin) {
	m, bad := mcpwire.FromServer(raw)
	t.hear(heard{m, raw, bad})
}

func (t *trial) long(upstream.Origin) {
	t.hear(heard{bad: mcpwire.Errorf(mcpwire.CodeInternal, "the server sent a message of more than %d MiB", maxTried>>20)})
}

func (t *trial) lost(l upstream.Loss) {
	t.hear(heard{Message: mcpwire.Message{Key: l.Request}, bad: mcpwire.Errorf(mcpwire.CodeInternal, "%s", l.Why)})
}

func (t *trial) hear(h heard) {
	select {
	case t.heard <- h:
	case <-t.over:
	}
}

func (t *trial) run(ctx context.Context) ([]permission.OfferedTool, error) {
	if err := t.begin(ctx); err != nil {
		return nil, err
	}
	return t.tools(ctx)
}

// begin agrees with the server on a version.
func (t *trial) begin(ctx context.Context) error {
	about := fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"sekisho","version":%q}}`, mcpwire.SessionVersions[0],
		backend.Version)
	result, err := t.ask(ctx, mcpwire.Initialize, about)
	if err != nil {
		return err
	}
	var agreed struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	if json.Unmarshal(result, &agreed) != nil || agreed.ProtocolVersion == "" {
		return errors.New("the server's answer to initialize is not one of MCP")
	}
	t.header = http.Header{mcpwire.VersionHeader: {agreed.ProtocolVersion}}
	_ = t.say(ctx, upstream.Message{Kind: mcpwire.Notification, Method: mcpwire.InitializedNote,
		Raw: []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)})
	return nil
}

// tools gathers the tools of all pages.
func (t *trial) tools(ctx context.Context) (tools []permission.OfferedTool, err error) {
	all, err := mcpwire.GatherList(mcpwire.OfTools, func(params []byte) ([]byte, error) {
		return t.ask(ctx, mcpwire.ListTools, string(params))
	})
	for _, tool := range all {
		tools = append(tools, permission.OfferedTool{Name: tool.Name, Raw: tool.Raw})
	}
	return tools, err
}

// say sends a message. Whether a process took it shows in what comes back.
func (t *trial) say(ctx context.Context, p upstream.Message) error {
	p.Header = t.header
	return t.far.Send(ctx, p)
}

// ask sends a request and listens until its answer comes.
func (t *trial) ask(ctx context.Context, method, params string) (result []byte, err error) {
	t.asked++
	key := fmt.Sprint("n", t.asked)
	raw := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, t.asked, method, params)
	if err := t.say(ctx, upstream.Message{Raw: raw, Kind: mcpwire.Request, Key: key, Method: method}); err != nil &&
		!errors.Is(err, upstream.ErrEnded) {
		if ctx.Err() != nil {
			err = t.timeUp(ctx, method)
		}
		return nil, err
	}
	for {
		select {
		case h := <-t.heard:
			switch {
			case h.bad != nil && h.raw == nil && h.Key != "" && h.Key != key: // the end of an answer that was whole
			case h.bad != nil:
				if err := t.puzzled(h); err != nil {
					return nil, err
				}
			case h.Kind == mcpwire.Request:
				t.reply(ctx, h.Message)
			case h.Kind == mcpwire.Response && h.Key == key:
				return h.Result, upstream.RefusedBy(method, []byte(t.veil().JSON(string(h.Fault))))
			}
		case <-t.far.Over():
			return nil, fmt.Errorf("the server ended%s before it answered %s%s", upstream.ExitOf(t.far), method, t.instead())
		case <-ctx.Done():
			return nil, t.timeUp(ctx, method)
		}
	}
}

// timeUp says why a trial ended before its server answered.
func (t *trial) timeUp(ctx context.Context, method string) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return errors.New("the trial was broken off")
	}
	return fmt.Errorf("the server did not answer %s within %s%s", method, t.within, t.instead())
}

// reply answers a request of the server: it may ask whether we are there, and no more.
func (t *trial) reply(ctx context.Context, m mcpwire.Message) {
	if m.Method == mcpwire.Ping {
		_ = t.say(ctx, upstream.Message{Kind: mcpwire.Response, Raw: fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)})
		return
	}
	_ = t.say(ctx, upstream.Message{Kind: mcpwire.Response,
		Raw: mcpwire.ErrorAnswer(m.ID, mcpwire.Errorf(mcpwire.CodeNoMethod, "this client only looks at the tools"))})
}

// puzzled takes a line that is no message. Some servers greet so; one that goes on is
// none of MCP.
func (t *trial) puzzled(h heard) error {
	if h.raw == nil {
		return h.bad
	}
	t.strange = append(t.strange, upstream.Excerpt(t.veil().Text(string(h.raw[:min(len(h.raw), upstream.MaxHidden)]))))
	if len(t.strange) > maxStrange {
		return fmt.Errorf("the server does not speak MCP on its output%s", t.instead())
	}
	return nil
}

// instead says what the server wrote where a message was due.
func (t *trial) instead() string {
	if len(t.strange) == 0 {
		return ""
	}
	return fmt.Sprintf("; it wrote %q, which is no message", t.strange[0])
}
