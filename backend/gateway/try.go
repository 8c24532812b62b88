package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"sekisho/backend"
	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
)

// Bounds of a trial.
const (
	tryWithin  = 20 * time.Second
	maxStrange = 100     // lines that are no messages: some servers greet on their output
	maxTried   = 8 << 20 // bytes of one message, and of all lists of tools together
	lastWords  = 4 << 10 // bytes of standard error
)

// Try starts a server as a session would, asks for its tools, and ends it with all that
// it started. words are the last of its standard error. An error is told to a person
// as it is.
func (g *Gateway) Try(ctx context.Context, server permission.Server) (tools []permission.OfferedTool, words string, err error) {
	if !g.enter() {
		return nil, "", errors.New("the desk is closing")
	}
	defer g.busy.Done()
	ctx, cancel := context.WithTimeout(ctx, tryWithin)
	defer cancel()
	go func() {
		select {
		case <-g.closing:
			cancel()
		case <-ctx.Done():
		}
	}()
	t := &trial{heard: make(chan heard), over: ctx.Done(), veil: func() cover {
		return coverOf(append(g.knownSecrets(server.ID), secretsOf(server)...)) // a token may be renewed meanwhile
	}}
	waits := func(string) bool { return ctx.Err() == nil }
	if t.far, err = g.connect(server, maxTried, ears{heard: t.line, long: t.long, lost: t.lost, waits: waits}); err != nil {
		return nil, "", fmt.Errorf("the server cannot be started: %w", err)
	}
	if tools, err = t.run(ctx); err != nil {
		err = &veiled{err, t.veil().words(err.Error())}
	}
	cancel()
	t.far.stop()
	<-t.far.over()
	names := coverOf(append(g.knownSecrets(server.ID), valuesOf(server.Headers)...)) // an environment has ordinary words too
	for i := range tools {
		tools[i].Name = names.words(tools[i].Name)
	}
	return tools, t.veil().words(t.far.said(lastWords)), err
}

// trial is one conversation with a server on trial.
type trial struct {
	far     upstream
	header  http.Header // of HTTP, from the agreement on a version on
	heard   chan heard
	over    <-chan struct{} // nobody listens any more
	asked   int
	strange []string     // lines that were no messages
	veil    func() cover // over the secrets of the server's entry and sign-in: hidden before words are cut, or the beginning of one is left
}

// heard is one line of the server.
type heard struct {
	mcpwire.Message
	raw []byte
	bad *mcpwire.Error // not a message, or too long
}

func (t *trial) line(raw []byte, _ origin) {
	m, bad := mcpwire.FromServer(raw)
	t.hear(heard{m, raw, bad})
}

func (t *trial) long(origin) {
	t.hear(heard{bad: mcpwire.Errorf(mcpwire.CodeInternal, "the server sent a message of more than %d MiB", maxTried>>20)})
}

func (t *trial) lost(l loss) {
	t.hear(heard{Message: mcpwire.Message{Key: l.request}, bad: mcpwire.Errorf(mcpwire.CodeInternal, "%s", l.why)})
}

func (t *trial) hear(h heard) {
	select {
	case t.heard <- h:
	case <-t.over:
	}
}

func (t *trial) run(ctx context.Context) ([]permission.OfferedTool, error) {
	about := fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"sekisho","version":%q}}`, mcpwire.SessionVersions[0], backend.Version)
	result, err := t.ask(ctx, mcpwire.Initialize, about)
	if err != nil {
		return nil, err
	}
	var agreed struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	if json.Unmarshal(result, &agreed) != nil || agreed.ProtocolVersion == "" {
		return nil, errors.New("the server's answer to initialize is not one of MCP")
	}
	t.header = http.Header{mcpwire.VersionHeader: {agreed.ProtocolVersion}}
	_ = t.say(ctx, parcel{kind: mcpwire.Notification, method: mcpwire.InitializedNote, raw: []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)})
	return t.tools(ctx)
}

// tools gathers the tools of all pages.
func (t *trial) tools(ctx context.Context) (tools []permission.OfferedTool, err error) {
	all, err := gather(ofTools, func(params []byte) ([]byte, error) { return t.ask(ctx, mcpwire.ListTools, string(params)) })
	for _, tool := range all {
		tools = append(tools, permission.OfferedTool{Name: tool.name, Raw: tool.raw})
	}
	return tools, err
}

// say sends a message. Whether a process took it shows in what comes back.
func (t *trial) say(ctx context.Context, p parcel) error {
	p.header = t.header
	return t.far.send(ctx, p)
}

// ask sends a request and listens until its answer comes.
func (t *trial) ask(ctx context.Context, method, params string) (result []byte, err error) {
	t.asked++
	key := fmt.Sprint("n", t.asked)
	raw := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, t.asked, method, params)
	if err := t.say(ctx, parcel{raw: raw, kind: mcpwire.Request, key: key, method: method}); err != nil && !errors.Is(err, errEnded) {
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
				return h.Result, refused(method, []byte(t.veil().json(string(h.Fault))))
			}
		case <-t.far.over():
			return nil, fmt.Errorf("the server ended%s before it answered %s%s", exitOf(t.far), method, t.instead())
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
	return fmt.Errorf("the server did not answer %s within %s%s", method, tryWithin, t.instead())
}

// reply answers a request of the server: it may ask whether we are there, and no more.
func (t *trial) reply(ctx context.Context, m mcpwire.Message) {
	if m.Method == mcpwire.Ping {
		_ = t.say(ctx, parcel{kind: mcpwire.Response, raw: fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)})
		return
	}
	_ = t.say(ctx, parcel{kind: mcpwire.Response, raw: mcpwire.ErrorAnswer(m.ID, mcpwire.Errorf(mcpwire.CodeNoMethod, "this client only looks at the tools"))})
}

// exitOf says how a process ended.
func exitOf(far upstream) string {
	if c, ok := far.(*child); ok {
		return fmt.Sprintf(" (%s)", c.cmd.ProcessState)
	}
	return ""
}

// refused reads the error of an answer, if it is one.
func refused(method string, fault []byte) error {
	if len(fault) == 0 {
		return nil
	}
	var e struct{ Message string }
	if json.Unmarshal(fault, &e) != nil || e.Message == "" {
		e.Message = string(fault)
	}
	return fmt.Errorf("the server refused %s: %s", method, excerpt(e.Message))
}

// puzzled takes a line that is no message. Some servers greet so; one that goes on is
// none of MCP.
func (t *trial) puzzled(h heard) error {
	if h.raw == nil {
		return h.bad
	}
	t.strange = append(t.strange, excerpt(t.veil().words(string(h.raw[:min(len(h.raw), maxHidden)]))))
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

// maxExcerpt bounds what an error repeats of a server's words, in bytes.
const maxExcerpt = 300

func excerpt(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), maxExcerpt)], "?")
}
