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
