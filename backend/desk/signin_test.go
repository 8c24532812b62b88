package desk_test

import (
	"testing"

	"sekisho/backend/permission"
)

// TestTheJournalHasSignIns, as news of the servers, with who did it.
func TestTheJournalHasSignIns(t *testing.T) {
	h := open(t)
	events, stop := h.Subscribe()
	defer stop()
	for what, want := range map[permission.SignInEvent][2]string{
		permission.EventSignedIn: {permission.ActorPerson,
			`{"issuer":"https://auth.example","scopes":["a","b"],"serverId":"far","what":"signedIn"}`},
		permission.EventSignedOut: {permission.ActorPerson,
			`{"issuer":"https://auth.example","scopes":["a","b"],"serverId":"far","what":"signedOut"}`},
		permission.EventSignInExpired: {permission.ActorDesk,
			`{"issuer":"https://auth.example","scopes":[],"serverId":"far","what":"signInExpired","why":"it says no"}`},
		permission.EventSignInLacks: {permission.ActorDesk,
			`{"issuer":"https://auth.example","scopes":["a","b"],"serverId":"far","what":"signInLacks"}`},
		permission.EventTokensNotRevoked: {permission.ActorDesk,
			`{"issuer":"https://auth.example","scopes":[],"serverId":"far","what":"tokensNotRevoked","why":"it says no"}`},
	} {
		before := h.last()
		change := permission.SignInChange{What: what, ServerID: "far", Issuer: "https://auth.example", Scopes: []string{"a", "b"}}
		if what == permission.EventSignInExpired || what == permission.EventTokensNotRevoked {
			change.Scopes, change.Why = nil, "it says no"
		}
		if err := h.NoteSignIn(ctx, change); err != nil {
			t.Fatal(err)
		}
		entries, _, err := h.Entries(ctx, before, 10)
		if err != nil || len(entries) != 1 || entries[0].Kind != permission.ServersChanged || entries[0].Actor != want[0] ||
			string(entries[0].Data) != want[1] || entries[0].At.IsZero() {
			t.Errorf("%s: the journal says %+v, %v", what, entries, err)
		}
		if e := <-events; e.Kind != permission.ServersChanged {
			t.Errorf("%s: %+v", what, e)
		}
	}
}
