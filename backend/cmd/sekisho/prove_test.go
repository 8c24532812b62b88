package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"sekisho/backend/proof"
)

// proving is a desk that knows some tokens, in front of what a test answers.
func proving(h http.Handler, tokens ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != proof.Path {
			h.ServeHTTP(w, r)
			return
		}
		var q proof.Question
		err := json.NewDecoder(r.Body).Decode(&q)
		i := slices.IndexFunc(tokens, func(token string) bool { return proof.HashOf(token).Key() == q.Key })
		if err != nil || i < 0 {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		json.NewEncoder(w).Encode(proof.Answer{Proof: proof.HashOf(tokens[i]).Of(q.Nonce, q.Address)})
	})
}

// TestTheBridgeFollowsItsToken: a token that was made anew while the bridge runs is
// proved for by itself.
func TestTheBridgeFollowsItsToken(t *testing.T) {
	b := &relay{}
	one := b.clientOf("one")
	if b.clientOf("one") != one || b.clientOf("two") == one {
		t.Error("a client is not of its token")
	}
}
