package restclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// usualPatience is far longer than an answer, or the next part of a long one, takes: who
// is silent for so long is no desk, or one that is stuck.
const usualPatience = 30 * time.Second

var errSilent = errors.New("silent")

// silence ends a request whose other side says nothing for too long. What it reads of the
// answer is a sign of life.
type silence struct {
	io.Reader
	desk  string
	limit time.Duration
	timer *time.Timer
	stop  func()
}

// watch begins to wait. The request goes by the context that it gives.
func (c *Client) watch(ctx context.Context) (context.Context, *silence) {
	ctx, cancel := context.WithCancelCause(ctx)
	s := &silence{desk: c.URL, limit: cmp.Or(c.Patience, usualPatience)}
	s.timer = time.AfterFunc(s.limit, func() { cancel(errSilent) })
	s.stop = func() {
		s.timer.Stop()
		cancel(nil)
	}
	return ctx, s
}

// Read reads on, and begins to wait anew.
func (s *silence) Read(b []byte) (int, error) {
	n, err := s.Reader.Read(b)
	s.timer.Reset(s.limit)
	return n, err
}

// why says of a request that was given up that it was, and of another its error.
func (s *silence) why(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), errSilent) {
		return fmt.Errorf("%s does not answer: nothing came for %v; is a desk there, and is it well?", s.desk, s.limit)
	}
	return err
}
