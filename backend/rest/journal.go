package rest

import (
	"context"
	"log/slog"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

// Journal shows the record: its entries, and the events that tell of them. NoteRefused
// adds that an agent tried a row for persons alone.
type Journal interface {
	NoteRefused(ctx context.Context, agent permission.Agent, method, path string, count int) error
	Entries(ctx context.Context, after int64, limit int) (entries []permission.Entry, next int64, err error)
	// SignedEnd is the last line of an export that ends with the newest entry.
	SignedEnd(ctx context.Context) (permission.Entry, error)
	Events(ctx context.Context, after int64, limit int) (events []permission.Event, last int64, err error)
	Subscribe() (events <-chan permission.Event, stop func())
}

// journalRows are those of the journal and its events.
type journalRows struct {
	journal Journal
	agents  Agents
	lanes   *restwire.Lanes
	work    *work
	log     *slog.Logger
}

func (h *journalRows) addJournal(a *restwire.API) {
	restwire.Register(a, restwire.Row{Route: "GET /v1/journal", ID: "readJournal", Who: restwire.Operators,
		Summary: "Read the journal, oldest first",
		About:   "hash is the hex SHA-256 of the canonical JSON of the entry without its hash; prevHash is the hash of the entry before. A page is cut where its data come to 4 MiB, with one entry at least."}, h.readJournal)
	restwire.Register(a, restwire.Row{Route: "GET /v1/journal/end", ID: "signJournal", Who: restwire.Operators,
		Summary: "Sign the journal as it stands, for the end of an export",
		About: "A checkpoint over the newest entry. It follows that entry by number and hash and is not kept: an export has the entries up to it, and then this. " +
			"sig is Ed25519, by key, over six lines: \"sekisho journal checkpoint 1\", journal, seq, hash, end, and at. 503 where the journal has no key."}, h.signJournal)
}

type endOut struct {
	Body struct {
		Entry permission.Entry `json:"entry"`
	}
}

func (h *journalRows) signJournal(ctx context.Context, _ *struct{}) (*endOut, error) {
	e, err := h.journal.SignedEnd(ctx)
	out := &endOut{}
	out.Body.Entry = e
	return out, err
}

type journalIn struct {
	After int64 `query:"after" minimum:"0" doc:"the seq that was read last"`
	Limit int   `query:"limit" minimum:"1" maximum:"1000" default:"100"`
}

type journalOut struct {
	Body struct {
		Entries []permission.Entry `json:"entries"`
		Next    *int64             `json:"next" doc:"the after of the next page; null at the end"`
	}
}

func (h *journalRows) readJournal(ctx context.Context, in *journalIn) (*journalOut, error) {
	entries, next, err := h.journal.Entries(ctx, in.After, in.Limit)
	out := &journalOut{}
	out.Body.Entries, out.Body.Next = list(entries), orNull(next)
	return out, err
}
