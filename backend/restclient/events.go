package restclient

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// maxEvent bounds a line of the stream of events, in bytes.
const maxEvent = 1 << 20

// Events tells of what happens at the desk, from now on: began is called once the desk
// listens, and happened for each event. It ends with an error, unless ctx ended it.
func (c *Client) Events(ctx context.Context, began, happened func()) error {
	err := c.entered(ctx, func(e entry) error {
		ctx, watch := c.watch(ctx)
		defer watch.stop()
		req, err := c.request(ctx, e, http.MethodGet, "/v1/events", nil)
		if err != nil {
			return err
		}
		resp, err := e.http.Do(req)
		if err != nil {
			return watch.why(ctx, fmt.Errorf("reach the desk: %w", unproved(err)))
		}
		defer resp.Body.Close()
		watch.Reader = resp.Body
		if resp.StatusCode != http.StatusOK {
			return answered(resp, watch, nil)
		}
		began()
		lines := bufio.NewScanner(watch)
		lines.Buffer(nil, maxEvent)
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "event:") {
				happened()
			}
		}
		if err := lines.Err(); err != nil {
			return watch.why(ctx, fmt.Errorf("read the desk's events: %w", err))
		}
		return fmt.Errorf("read the desk's events: %w", io.ErrUnexpectedEOF)
	})
	if ctx.Err() != nil {
		return nil
	}
	return err
}
