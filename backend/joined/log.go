package joined

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"sekisho/backend/mcpwire"
	"sekisho/backend/session"
)

// clientLog is the log that a client gets to see: what it wants of that, and the desk's own
// messages there.
type clientLog struct {
	client *session.Session
	logger *slog.Logger

	mu     sync.Mutex
	wanted []byte // the params of the client's last logging/setLevel
}

// levels are those of log messages, the least first.
var levels = [...]string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// set keeps which messages the client wants.
func (l *clientLog) set(m mcpwire.Message) *mcpwire.Error {
	level, bad := mcpwire.Member(m.Params, "level")
	if name, ok := mcpwire.Text(level); bad != nil || !ok || !slices.Contains(levels[:], name) {
		return mcpwire.Errorf(mcpwire.CodeParams, "level of %s is one of %s", mcpwire.SetLevel, strings.Join(levels[:], ", "))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wanted = m.Params
	return nil
}

// params are those of the client's last logging/setLevel; nil before it.
func (l *clientLog) params() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.wanted
}

// tell tells members which log messages are wanted. One that refuses says what it likes.
func (l *clientLog) tell(ctx context.Context, members ...*peer) {
	params := l.params()
	var all sync.WaitGroup
	for _, p := range members {
		if params == nil || !p.terms().can.log {
			continue
		}
		all.Add(1)
		go func() {
			defer all.Done()
			if _, err := p.ask(ctx, mcpwire.SetLevel, params); err != nil {
				l.logger.Debug("set the log level of a server", "server", p.s.Server.ID, "error", err)
			}
		}()
	}
	all.Wait()
}

// warn tells the client of trouble with its members, unless it wants to hear of worse only.
func (l *clientLog) warn(format string, args ...any) {
	words := fmt.Sprintf(format, args...)
	l.logger.Warn("join servers", "trouble", words)
	level, _ := mcpwire.Member(l.params(), "level")
	switch string(level) {
	case `"error"`, `"critical"`, `"alert"`, `"emergency"`:
		return
	}
	l.client.Say(nil, fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","logger":"sekisho","data":%s}}`,
		mcpwire.Quote(words)))
}
