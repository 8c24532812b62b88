package server

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/connect"
	"sekisho/backend/permission"
	"sekisho/backend/rest"
)

// TestObstaclesAreDocumentedAndHaveWords: what the API says that it may say of an entry
// that is left is what there is, and the page has words for each. Its own tests see to the
// other languages.
func TestObstaclesAreDocumentedAndHaveWords(t *testing.T) {
	page, err := os.ReadFile("../../frontend/src/features/agents/words/en.ts")
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, code := range connect.Obstacles() {
		codes = append(codes, string(code))
		if !strings.Contains(string(page), "'apps.why."+string(code)+"':") {
			t.Errorf("the page has no words for %s", code)
		}
	}
	field, _ := reflect.TypeFor[rest.ClientObstacle]().FieldByName("Code")
	if documented := strings.Split(field.Tag.Get("enum"), ","); !slices.Equal(documented, codes) {
		t.Errorf("documented:\n%s\nthere are:\n%s", documented, codes)
	}
	if words := strings.Count(string(page), "'apps.why."); words != len(codes) {
		t.Errorf("words for %d codes, and %d codes", words, len(codes))
	}
}

// TestWhatIsOffAndWhyEntriesStay: as the page is told it.
func TestWhatIsOffAndWhyEntriesStay(t *testing.T) {
	h := newHouse(t)
	const text = `{"mcpServers":{"on":{"command":"/bin/cat"},"off":{"command":"/bin/echo","disabled":true},"old":{"type":"sse","url":"https://example.com"}}}`
	h.write(".cursor/mcp.json", text)
	f := h.file()
	want := []rest.ClientEntry{
		{Key: "on", State: "direct", ServerID: "on"}, {Key: "off", State: "direct", Off: true, ServerID: "off"},
		{Key: "old", State: "left", Reason: "it speaks SSE, the older transport, which the desk does not",
			Why: &rest.ClientObstacle{Code: "old_transport"}},
	}
	for i := range f.Entries { // what they would miss depends on who runs this
		f.Entries[i].Likely, f.Entries[i].Others = nil, nil
	}
	if !reflect.DeepEqual(f.Entries, want) {
		t.Errorf("%+v", f.Entries)
	}
	h.ask(200, "POST /v1/connections/"+f.ID+"/connect", said{Shown: f.Move.Shown}, nil)
	servers, err := h.desk.Desk.Catalogue.Servers(t.Context())
	if err != nil || len(servers) != 2 || slices.ContainsFunc(servers, func(s permission.Server) bool { return s.Enabled != (s.ID == "on") }) {
		t.Errorf("%+v %v", servers, err)
	}
	f = h.file()
	if slices.ContainsFunc(f.Entries, func(e rest.ClientEntry) bool { return e.Off }) {
		t.Errorf("%+v", f.Entries)
	}
	h.ask(200, "POST /v1/connections/"+f.ID+"/disconnect", said{Shown: f.Back.Shown}, nil)
	if servers, err := h.desk.Desk.Catalogue.Servers(t.Context()); err != nil || len(servers) > 0 || h.read(".cursor/mcp.json") != text {
		t.Errorf("%+v %v %s", servers, err, h.read(".cursor/mcp.json"))
	}
}

// TestWhyAnEntryIsNotPutBack: as the page is told it.
func TestWhyAnEntryIsNotPutBack(t *testing.T) {
	h := newHouse(t)
	h.write(".cursor/mcp.json", `{"mcpServers":{"a":{"command":"/bin/cat"}}}`)
	f := h.file()
	h.ask(200, "POST /v1/connections/"+f.ID+"/connect", said{Shown: f.Move.Shown}, nil)
	h.write(".cursor/mcp.json", strings.Replace(h.read(".cursor/mcp.json"), `"--server", "a"`, `"--server", "b"`, 1))
	if b := h.file().Back; len(b.Entries) != 1 || b.Why != nil ||
		!reflect.DeepEqual(b.Entries[0].Why, &rest.ClientObstacle{Code: "field_changed", Field: "args"}) {
		t.Errorf("%+v", b)
	}
	h.write(".cursor/mcp.json", `{"mcpServers":{"a":"x"}}`)
	b := h.file().Back
	if b.Entries[0].Why == nil || b.Entries[0].Why.Code != "became_no_table" || b.Why == nil || b.Why.Code != "back_by_hand" ||
		!strings.HasSuffix(b.Error, b.Why.Value) {
		t.Errorf("%+v", b)
	}
}
