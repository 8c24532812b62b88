package gateway_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"sekisho/backend/gateway"
	"sekisho/backend/permission"
)

// TestNobodyIsAskedAboutAToolThatIsNone: the caller hears at once what the server would say.
func TestNobodyIsAskedAboutAToolThatIsNone(t *testing.T) {
	h, c := holding(t)
	for range 2 {
		if code, words := errorCode(t, c.ask(call("1", "create_permission_rule", `{}`))[0]); code != -32602 ||
			words != `unknown tool: "create_permission_rule"` {
			t.Errorf("%d %s", code, words)
		}
	}
	if s := h.desk.String(); s != "" || strings.Contains(h.received(), "tools/call") {
		t.Errorf("the desk was asked: %s; the server got %s", s, h.received())
	}
	h.desk.allow["write"] = true
	listed := strings.Count(h.received(), "tools/list")
	for id := range 3 {
		if got := last(t, c.start(t.Context(), call(fmt.Sprint(id), "write", `{}`))); !strings.Contains(got, fixtureEcho) {
			t.Errorf("a tool that is one: %s", got)
		}
	}
	if n := strings.Count(h.received(), "tools/list"); n != listed {
		t.Errorf("the server was asked for a list %d times more", n-listed)
	}
}

// TestWhatIsDecidedIsNotListed: an allowed call of a tool that no list has is the server's to
// answer, and a denied one is denied.
func TestWhatIsDecidedIsNotListed(t *testing.T) {
	h, c := holding(t)
	h.desk.allow["hidden"], h.desk.deny["forbidden"] = true, "never"
	if got := last(t, c.start(t.Context(), call("1", "hidden", `{}`))); !strings.Contains(got, fixtureEcho) {
		t.Errorf("allowed: %s", got)
	}
	if got := last(t, c.start(t.Context(), call("2", "forbidden", `{}`))); !strings.Contains(got, "never") {
		t.Errorf("denied: %s", got)
	}
	if s := h.received(); strings.Contains(s, "tools/list") || strings.Contains(s, "forbidden") {
		t.Errorf("the server got %s", s)
	}
}

// TestAToolThatMayBeOneIsHeld: a server that does not say what it has is asked when a
// person has said yes.
func TestAToolThatMayBeOneIsHeld(t *testing.T) {
	for what, list := range map[string]string{
		"an error":     `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"not now"}}`,
		"no list":      `{"jsonrpc":"2.0","id":%s,"result":{"tools":7}}`,
		"no end":       `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"a"}],"nextCursor":"again"}}`,
		"no answer":    ``,
		"a later page": `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"run"}]}}`,
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			h, f := newFarHouse(t, gateway.Options{Patience: 2 * time.Second}, withoutStream(func(w http.ResponseWriter, r farRequest) {
				w.Header().Set("Content-Type", "application/json")
				switch {
				case r.Method == "tools/call":
					whole(w, r)
				case list == "":
					<-r.ctx.Done()
				case what == "a later page" && !strings.Contains(r.body, "cursor"):
					fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"a"}],"nextCursor":"2"}}`, r.ID)
				default:
					fmt.Fprintf(w, list, r.ID)
				}
			}))
			f.lists, h.desk.allow["run"] = true, false
			got := h.connect("a").start(context.Background(), call("1", "run", `{}`))
			h.desk.decide(h.desk.awaitStatus(t, permission.Pending).ID, permission.Approved, "")
			if m := last(t, got); !strings.Contains(m, fixtureEcho) {
				t.Errorf("got %s", m)
			}
		})
	}
}

// TestAStatelessCallIsAskedAboutAsItsClientWould: the list is asked for under what the
// _meta says of the client, without what nobody has judged, and its headers fit it.
func TestAStatelessCallIsAskedAboutAsItsClientWould(t *testing.T) {
	h, f := newFarHouse(t, gateway.Options{}, withoutStream(func(w http.ResponseWriter, r farRequest) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","tools":[{"name":"other"}]}}`, r.ID)
	}))
	f.lists, h.desk.allow["run"] = true, false
	got := read(t, h.stateless("a").modern(t.Context(), modernCall("1", "run", `{"region":"eu"}`, `,"progressToken":"p","x":1.0`),
		"tools/call", "run", func(h http.Header) {
			h.Set("Mcp-Param-Region", "eu")
		}))
	if !strings.Contains(got, "-32602") {
		t.Errorf("got %s", got)
	}
	asked := f.requests(func(r farRequest) bool { return r.ID != nil })
	if len(asked) != 1 || !strings.Contains(asked[0].body, `"params":{"_meta":{`+modernMeta+`}}`) {
		t.Fatalf("the server got %+v", asked)
	}
	header := asked[0].header
	if header.Get("Mcp-Method") != "tools/list" || header.Get("Mcp-Name")+header.Get("Mcp-Param-Region") != "" ||
		header.Get("Mcp-Protocol-Version") != "2026-07-28" {
		t.Errorf("under %v", header)
	}
}
