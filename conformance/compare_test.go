package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestTell(t *testing.T) {
	for _, c := range []struct {
		name         string
		bare, behind string // statuses of one check; "" when the run did not come to it
		same         bool
		lines        string
	}{
		{"passes in both", success, success, true, ""},
		{"fails in both", failure, failure, true, ""},
		{"fails behind", success, failure, false, "  WORSE check: bare SUCCESS, behind the desk FAILURE: because\n"},
		{"is a remark behind", success, "INFO", false, "  WORSE check: bare SUCCESS, behind the desk INFO: because\n"},
		{"is missing behind", success, "", false, "  WORSE check: bare SUCCESS, behind the desk missing\n"},
		{"is new and fails", "", failure, false, "  WORSE check: bare missing, behind the desk FAILURE: because\n"},
		{"warning turns failure", "WARNING", failure, false, "  WORSE check: bare WARNING, behind the desk FAILURE: because\n"},
		{"is new and passes", "", success, true, "  check: bare missing, behind the desk SUCCESS: because\n"},
		{"passes behind alone", failure, success, true, "  check: bare FAILURE, behind the desk SUCCESS: because\n"},
		{"warning is gone", "WARNING", "", true, "  check: bare WARNING, behind the desk missing\n"},
		{"failure is gone", failure, "", true, "  check: bare FAILURE, behind the desk missing\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bare, behind := outcome{}, outcome{}
			if c.bare != "" {
				bare["check"] = check{Status: c.bare, ErrorMessage: "not shown"}
			}
			if c.behind != "" {
				behind["check"] = check{Status: c.behind, ErrorMessage: "because\nmore"}
			}
			var out strings.Builder
			if same := tell(&out, bare, behind); same != c.same || out.String() != c.lines {
				t.Errorf("same %t, want %t; said %q, want %q", same, c.same, out.String(), c.lines)
			}
		})
	}
}

func TestTellInOrder(t *testing.T) {
	bare := outcome{}
	var want strings.Builder
	for _, name := range strings.Split("a b c d e f g h i j", " ") {
		bare[name] = check{Status: success}
		fmt.Fprintf(&want, "  WORSE %s: bare SUCCESS, behind the desk missing\n", name)
	}
	var out strings.Builder
	if tell(&out, bare, outcome{}); out.String() != want.String() {
		t.Errorf("said %q, want %q", out.String(), want.String())
	}
}
