package insights

import (
	"context"
	"errors"
	"net/http"
	"time"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
	"sekisho/backend/tally"
)

// rows are those of REST. Without insights they say that there are none.
type rows struct{ of *Insights }

// Add adds the rows; nil: this desk keeps nothing.
func Add(a *restwire.API, of *Insights) {
	h := rows{of}
	restwire.Register(a, restwire.Row{Route: "GET /v1/insights", ID: "getInsights", Who: restwire.Operators,
		Summary: "Count calls, questions and answers over time",
		About: "In hours or days of a time zone, from a time to another, at most 750 of them; counts are exact to the minute, and older ones than 30 days to a quarter of an hour. " +
			"Counted is when it happened: a call when it came in, an answer when it was given. calls = questions + allowed + granted + denied + repeated, " +
			"but for calls that were allowed and then asked about after all. An answer is unread when its call was in view for less time than the words of its input take to read at 238 words a minute."},
		h.count)
	restwire.Register(a, restwire.Row{Route: "POST /v1/presence", ID: "look", Who: restwire.Operators,
		Summary: "Say that a person is looking",
		About:   "A page says so at most once a minute, while a person uses it. away is the last time that nobody was there for five minutes or more; null: there was none."}, h.look)
	restwire.Register(a, restwire.Row{Route: "GET /v1/pause", ID: "getPause", Who: restwire.Operators,
		Summary: "Say until when a person takes a break"}, h.paused)
	restwire.Register(a, restwire.Row{Route: "POST /v1/pause", ID: "pause", Who: restwire.Operators,
		Summary: "Take a break: nothing asks for attention until it ends",
		About:   "It turns window.quiet of the settings on, and off again when it ends. Calls go on waiting with the deadlines that they have, and nothing is decided by it."}, h.pause)
	restwire.Register(a, restwire.Row{Route: "DELETE /v1/pause", ID: "endPause", Who: restwire.Operators, Status: http.StatusNoContent,
		Summary: "End the break"}, h.resume)
}

func (h rows) there() error {
	if h.of == nil {
		return &permission.Error{Code: permission.CodeUnavailable, Message: "this desk counts nothing"}
	}
	return nil
}

type countIn struct {
	From   string `query:"from" doc:"RFC 3339; a week before to when left out"`
	To     string `query:"to" doc:"RFC 3339; now when left out"`
	Bucket string `query:"bucket" enum:"hour,day" default:"day"`
	Zone   string `query:"zone" maxLength:"64" doc:"by whose clocks hours and days begin, a name of the IANA time zone database; UTC when left out"`
}

type countOut struct{ Body Report }

func (h rows) count(ctx context.Context, in *countIn) (*countOut, error) {
	if err := h.there(); err != nil {
		return nil, err
	}
	to, err := timeOf("to", in.To, h.of.now())
	if err != nil {
		return nil, err
	}
	from, err := timeOf("from", in.From, to.Add(-7*24*time.Hour))
	if err != nil {
		return nil, err
	}
	zone, err := time.LoadLocation(in.Zone)
	if err != nil || in.Zone == "Local" {
		return nil, permission.Invalid("zone", permission.FieldUnknown, "no time zone of this name is known")
	}
	r, err := h.of.Count(ctx, from, to, tally.Size(in.Bucket), zone)
	switch {
	case errors.Is(err, tally.ErrRange):
		return nil, permission.Invalid("to", permission.FieldOutOfRange, "the range ends before it begins")
	case errors.Is(err, tally.ErrBuckets):
		return nil, permission.Invalid("from", permission.FieldOutOfRange, "the range has more than 750 buckets of this size")
	case err != nil:
		return nil, err
	}
	return &countOut{*r}, nil
}

func timeOf(field, said string, other permission.Time) (permission.Time, error) {
	if said == "" {
		return other, nil
	}
	t, err := time.Parse(time.RFC3339, said)
	if err != nil || t.Year() < 2000 || t.Year() > 9000 {
		return 0, permission.Invalid(field, permission.FieldTimeForm, "not a time as in 2026-01-31T12:00:00Z, from the year 2000 on")
	}
	return permission.TimeOf(t), nil
}

type lookOut struct {
	Body struct {
		Away *Stretch `json:"away"`
	}
}

func (h rows) look(ctx context.Context, _ *struct{}) (out *lookOut, err error) {
	if err := h.there(); err != nil {
		return nil, err
	}
	out = &lookOut{}
	out.Body.Away, err = h.of.Look(ctx)
	return out, err
}

type pauseIn struct {
	Body struct {
		Minutes int `json:"minutes" minimum:"1" maximum:"240"`
	}
}

type pauseOut struct {
	Body struct {
		Until permission.Time `json:"until" doc:"null: no break is taken"`
	}
}

func (h rows) paused(ctx context.Context, _ *struct{}) (out *pauseOut, err error) {
	if err := h.there(); err != nil {
		return nil, err
	}
	out = &pauseOut{}
	out.Body.Until, err = h.of.Paused(ctx)
	return out, err
}

func (h rows) pause(ctx context.Context, in *pauseIn) (out *pauseOut, err error) {
	if err := h.there(); err != nil {
		return nil, err
	}
	out = &pauseOut{}
	out.Body.Until, err = h.of.Pause(ctx, in.Body.Minutes)
	return out, err
}

func (h rows) resume(ctx context.Context, _ *struct{}) (*struct{}, error) {
	if err := h.there(); err != nil {
		return nil, err
	}
	return nil, h.of.Resume(ctx)
}
