package storetest

import (
	"context"
	"fmt"
	"testing"

	"sekisho/backend/permission"
)

// searched: a text is found wherever it stands in a name, and stands for itself.
func searched(t *testing.T, s Store) {
	for i, change := range []func(*permission.Call){
		func(c *permission.Call) { c.ToolName = "Read_File" },
		func(c *permission.Call) { c.ToolName = "readXfile" },
		func(c *permission.Call) { c.ServerID, c.ToolName = nil, `50%\of` },
		func(c *permission.Call) { c.AgentName = "Ägypten" },
		func(c *permission.Call) { c.SessionID = "the-READ-session" },
		func(c *permission.Call) { c.Description, c.Input = "reads", []byte(`"read"`) },
	} {
		c := NewCall(fmt.Sprint(i))
		change(&c)
		keep(t, s, c)
	}
	for text, want := range map[string]string{
		"read": "[4 1 0]", "READ": "[4 1 0]", "d_f": "[0]", "%": "[2]", "_": "[5 4 3 0]", `\`: "[2]", `%\o`: "[2]", `\_`: "[]",
		"FILESYS": "[5 4 3 1 0]",
		"gypten":  "[3]", "Ägy": "[3]", "t a": "[5 4 2 1 0]", "filesystemwrite": "[]", "'": "[]", "nothing": "[]",
	} {
		if got, _, err := s.Calls(context.Background(), permission.CallFilter{Text: text, Limit: 9}); err != nil || fmt.Sprint(ids(got)) != want {
			t.Errorf("%q: %v %v, want %s", text, ids(got), err, want)
		}
	}
	// Together with the rest of a filter, page by page.
	filter := permission.CallFilter{Text: "read", Limit: 2, Statuses: []permission.Status{permission.Pending, permission.Approved}}
	got, next, err := s.Calls(context.Background(), filter)
	if fmt.Sprint(ids(got)) != "[4 1]" || next == 0 || err != nil {
		t.Errorf("first page: %v %v %v", ids(got), next, err)
	}
	filter.Before = next
	if got, next, err = s.Calls(context.Background(), filter); fmt.Sprint(ids(got)) != "[0]" || next != 0 || err != nil {
		t.Errorf("second page: %v %v %v", ids(got), next, err)
	}
	filter.Statuses = []permission.Status{permission.Declined}
	if got, _, err := s.Calls(context.Background(), filter); len(got) > 0 || err != nil {
		t.Errorf("of another status: %v %v", ids(got), err)
	}
}
