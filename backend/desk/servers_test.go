package desk_test

import (
	"maps"
	"slices"
	"testing"

	"sekisho/backend/permission"
)

func plainServer(id string) permission.Server {
	return permission.Server{ID: id, Transport: permission.TransportStdio, Command: "x", Args: []string{},
		Env: map[string]string{"TOKEN": "one"}, Enabled: true}
}

// TestAListOfServersIsReplacedAsItWasSeen: each edit gives the list another version, one
// that masks hide and one of the order included; what changes nothing does not.
func TestAListOfServersIsReplacedAsItWasSeen(t *testing.T) {
	h := open(t)
	defer h.close()
	_, empty, err := h.ServerList(ctx)
	if err != nil || empty == "" {
		t.Fatalf("%q %v", empty, err)
	}
	stored, version, err := h.ReplaceServers(ctx, empty, []permission.Server{plainServer("a"), plainServer("b")})
	if err != nil || len(stored) != 2 || version == empty {
		t.Fatalf("%+v %q %v", stored, version, err)
	}
	versions := map[string]bool{empty: true, version: true}
	for name, edit := range map[string]func([]permission.Server){
		"switched off": func(s []permission.Server) { s[0].Enabled = !s[0].Enabled },
		"secret":       func(s []permission.Server) { s[0].Env["TOKEN"] += "+" },
		"order":        slices.Reverse[[]permission.Server],
	} {
		servers, seen, err := h.ServerList(ctx)
		if err != nil || seen != version {
			t.Fatalf("%s: %q is not %q, %v", name, seen, version, err)
		}
		for i := range servers {
			servers[i].Env = maps.Clone(servers[i].Env)
		}
		if _, same, err := h.ReplaceServers(ctx, seen, slices.Clone(servers)); err != nil || same != seen {
			t.Errorf("%s: %q after nothing was changed, %v", name, same, err)
		}
		edit(servers)
		if _, version, err = h.ReplaceServers(ctx, seen, servers); err != nil || versions[version] {
			t.Fatalf("%s: %q %v", name, version, err)
		}
		versions[version] = true
		if _, _, err := h.ReplaceServers(ctx, seen, nil); code(err) != permission.CodeLostUpdate {
			t.Errorf("%s: a lost update: %v", name, err)
		}
		if now, still, err := h.ServerList(ctx); err != nil || len(now) != 2 || still != version {
			t.Errorf("%s: after a lost update: %+v %q %v", name, now, still, err)
		}
	}
	if _, _, err := h.ReplaceServers(ctx, "", nil); err != nil {
		t.Error(err)
	}
	if _, version, err := h.ServerList(ctx); err != nil || version != empty {
		t.Errorf("the same list: %q is not %q, %v", version, empty, err)
	}
}
