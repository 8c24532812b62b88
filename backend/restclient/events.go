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
	return c.Stream(ctx, "/v1/events", maxEvent, began, func(name string, _ []byte) { happened(permission.EntryKind(name)) })
}

// Stream is Events of any stream of the desk's, with the data of each; those of more than limit bytes
// have none.
func (c *Client) Stream(ctx context.Context, path string, limit int, began func(), happened func(name string, data []byte)) error {
	err := c.entered(ctx, func(e entry) error {
		return c.send(ctx, e, http.MethodGet, path, "", nil, func(_ *http.Response, body io.Reader) error {
			began()
			events := mcpwire.NewEvents(body, limit)
			for {
				e, err := events.Next()
				if errors.Is(err, io.EOF) {
					err = io.ErrUnexpectedEOF // the desk ends no stream while it runs
				}
				if err != nil {
					return fmt.Errorf("read the desk's events: %w", err)
				}
				happened(e.Name, e.Data)
			}
		})
	})
	if ctx.Err() != nil {
		return nil
	}
	return err
}
