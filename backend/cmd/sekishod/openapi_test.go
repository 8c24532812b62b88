package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

const committedDocument = "../../../frontend/openapi.json"

// TestTheCommittedDocumentIsThatOfTheProgram: the front end is made from the committed one.
func TestTheCommittedDocumentIsThatOfTheProgram(t *testing.T) {
	var printed bytes.Buffer
	c := command(&printed)
	c.SetArgs([]string{"--openapi"})
	if err := c.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	committed, err := os.ReadFile(committedDocument)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytes.ReplaceAll(committed, []byte("\r\n"), []byte("\n")), printed.Bytes()) {
		t.Errorf("frontend/openapi.json is stale at line %d; renew it with\n\tgo run ./backend/cmd/sekishod --openapi > frontend/openapi.json",
			differs(string(committed), printed.String()))
	}
}

// TestTheDocumentHasTheRowsOfWorkspaces: those of brief 4, of events and of executors.
func TestTheDocumentHasTheRowsOfWorkspaces(t *testing.T) {
	raw, err := os.ReadFile(committedDocument)
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]map[string]struct{ Description string }
	}
	if err := json.Unmarshal(raw, &document); err != nil {
		t.Fatal(err)
	}
	const project = "/my/projects/{project_id}/"
	for path, methods := range map[string]string{"/my/projects": "get", project + "tools/execute": "post", project + "tools/{tool_id}": "get",
		project + "tools/{tool_id}/result": "post", project + "approvals/{approval_id}/approve": "post",
		project + "approvals/{approval_id}/reject": "post", project + "tools/available": "get", project + "events": "get",
		"/v1/executors": "get post", "/v1/executors/{id}": "delete", "/v1/calls/{id}/claim": "post"} {
		for _, method := range strings.Fields(methods) {
			if _, there := document.Paths[path][method]; !there {
				t.Errorf("there is no %s %s", method, path)
			}
		}
	}
	for _, event := range []string{"TOOL_APPROVAL_REQUEST {", "TOOL_APPROVAL_WARNING", "TOOL_EXECUTION_SIGNAL {", "TOOL_RESULT_ACK {"} {
		if !strings.Contains(document.Paths[project+"events"]["get"].Description, event) {
			t.Errorf("the document does not tell of %s", event)
		}
	}
}

// differs is the number of the first line in which two texts differ.
func differs(a, b string) int {
	other := strings.Split(b, "\n")
	for i, line := range strings.Split(a, "\n") {
		if i >= len(other) || line != other[i] {
			return i + 1
		}
	}
	return len(other)
}
