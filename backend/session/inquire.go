package session

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/google/uuid"

	"sekisho/backend/mcpwire"
	"sekisho/backend/upstream"
)

// Inquire asks the server as the desk, and gives its answer, whatever that is. show hears
// what the server says meanwhile.
func (s *Session) Inquire(ctx context.Context, header http.Header, method string, params []byte,
	show func(ctx context.Context, x *Exchange, in Inbound)) (in Inbound, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	m, bad := mcpwire.FromClient(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":"sekisho-%s","method":%q,"params":%s}`, uuid.NewString(), method,
		params))
	if bad != nil {
		return in, bad
	}
	m.Header = header
	x, bad := s.Admit(m, cancel)
	if bad != nil {
		return in, bad
	}
	defer s.Release(x)
	if !s.Begin(ctx, x) {
		return in, upstream.ErrEnded
	}
	sent, settled := s.Dispatch(ctx, x, m.Raw)
	defer settled()
	in, err = s.Follow(ctx, x, func(in Inbound) { show(ctx, x, in) }, Following{Sent: sent})
	switch {
	case errors.Is(err, ErrGone):
		s.GiveUp(ctx, x)
		return in, fmt.Errorf("the server did not answer %s in time", method)
	case errors.Is(err, upstream.ErrEnded):
		return in, errors.New(s.Obituary("the server ended before it answered " + method))
	case err != nil:
		return in, fmt.Errorf("ask the server for %s: %w", method, err)
	}
	return in, nil
}
