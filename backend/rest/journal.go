package rest

import (
	"context"
	"net/http"

	"sekisho/backend/permission"
)

func (h *Handler) addJournal() {
	register(h, row{method: http.MethodGet, path: "/v1/journal", id: "readJournal", who: operators(),
		summary: "Read the journal, oldest first",
		about:   "hash is the hex SHA-256 of the canonical JSON of the entry without its hash; prevHash is the hash of the entry before. A page is cut where its data come to 4 MiB, with one entry at least."}, h.readJournal)
	register(h, row{method: http.MethodGet, path: "/v1/journal/end", id: "signJournal", who: operators(),
		summary: "Sign the journal as it stands, for the end of an export",
		about: "A checkpoint over the newest entry. It follows that entry by number and hash and is not kept: an export has the entries up to it, and then this. " +
			"sig is Ed25519, by key, over six lines: \"sekisho journal checkpoint 1\", journal, seq, hash, end, and at. 503 where the journal has no key."}, h.signJournal)
}

type endOut struct {
	Body struct {
		Entry permission.Entry `json:"entry"`
	}
}

func (h *Handler) signJournal(ctx context.Context, _ *struct{}) (*endOut, error) {
	e, err := h.desk.SignedEnd(ctx)
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

func (h *Handler) readJournal(ctx context.Context, in *journalIn) (*journalOut, error) {
	entries, next, err := h.desk.Journal(ctx, in.After, in.Limit)
	out := &journalOut{}
	out.Body.Entries, out.Body.Next = list(entries), orNull(next)
	return out, err
}
