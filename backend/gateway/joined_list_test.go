package gateway_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"sekisho/backend/gateway"
)

// TestJoinedServersThatComeWhileListed: the client hears of a server that was added while
// the others were asked for their first list.
func TestJoinedServersThatComeWhileListed(t *testing.T) {
	a := unlisted(t, "a", "")
	asked, goOn := make(chan bool, 1), make(chan bool)
	play := a.far.play
	a.instead("resources/list", func(w http.ResponseWriter, r farRequest) {
		asked <- true
		<-goOn
		play(w, r)
	})
	h := joinedHouse(t, gateway.Options{}, a.entry())
	c := h.join("a")
	heard := c.listen()
	list := c.start(t.Context(), http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"resources/list"}`)
	<-asked
	h.put(newLibrary(t, "b", map[string][]string{"resources/list": {`{"uri":"b://one"}`}}).entry())
	h.relisted()
	close(goOn)
	if got := last(t, list); !strings.Contains(got, `"resources":[]`) {
		t.Fatalf("it was in time: %s", got)
	}
	hear(t, heard, "notifications/resources/list_changed")
}

// TestJoinedRequestsShareTheFirstList: whoever waits for it does not ask for another.
func TestJoinedRequestsShareTheFirstList(t *testing.T) {
	h, a, _ := libraries(t, gateway.Options{})
	c := h.join("a")
	var all []<-chan string
	for i := range 20 {
		all = append(all, c.start(context.Background(), http.MethodPost,
			fmt.Sprintf(`{"jsonrpc":"2.0","id":"r%d","method":"resources/read","params":{"uri":"b://one"}}`, i)))
	}
	for _, got := range all {
		if m := last(t, got); !strings.Contains(m, `{"of":"b"}`) {
			t.Error(m)
		}
	}
	if n := len(a.bodies("resources/list")); n != 2 {
		t.Errorf("a server was asked for %d pages of a list that has 2", n)
	}
}

// TestJoinedListsThatAServerDoesNotKnow: it has none of that kind, which is no trouble.
func TestJoinedListsThatAServerDoesNotKnow(t *testing.T) {
	h, a, _ := libraries(t, gateway.Options{})
	a.instead("resources/templates/list", says(`"error":{"code":-32601,"message":"Method not found"}`))
	c := h.join("a")
	heard := c.listen()
	if got := c.entries("resources/templates/list"); !strings.Contains(got,
		`"resourceTemplates":[{"uriTemplate":"db:///{table}"},{"uriTemplate":"db:///big/{table}"}]`) {
		t.Errorf("the others': %s", got)
	}
	a.instead("resources/templates/list", says(`"error":{"code":-32603,"message":"broken"}`))
	c.entries("resources/templates/list")
	a.news <- updatedBoth
	for m := next(t, heard); !strings.Contains(m, "updated"); m = next(t, heard) {
		if strings.Contains(m, "left out") {
			t.Errorf("told of trouble: %s", m)
		}
	}
}
