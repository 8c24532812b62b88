package restclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
)

// maxEvent bounds an event of the stream, in bytes.
const maxEvent = 1 << 20

// Events tells of what happens at the desk, from now on: began is called once the desk
// listens, and happened for each event. It ends with an error, unless ctx ended it.
func (c *Client) Events(ctx context.Context, began func(), happened func(permission.EntryKind)) error {
	err := c.entered(ctx, func(e entry) error {
		return c.send(ctx, e, http.MethodGet, "/v1/events", "", nil, func(_ *http.Response, body io.Reader) error {
			began()
			events := mcpwire.NewEvents(body, maxEvent)
			for {
				e, err := events.Next()
				if errors.Is(err, io.EOF) {
					err = io.ErrUnexpectedEOF // the desk ends no stream while it runs
				}
				if err != nil {
					return fmt.Errorf("read the desk's events: %w", err)
				}
				happened(permission.EntryKind(e.Name))
			}
		})
	})
	if ctx.Err() != nil {
		return nil
	}
	return err
}
