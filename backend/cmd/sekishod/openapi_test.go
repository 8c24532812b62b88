package main

import (
	"bytes"
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
