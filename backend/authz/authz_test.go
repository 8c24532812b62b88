package authz_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"sekisho/backend/authz"
	"sekisho/backend/permission"
)

// callers are all that the table tells apart.
var callers = map[string]permission.Standing{
	"no session":   {},
	"coordinator":  {Role: permission.RoleCoordinator},
	"manager task": {Role: permission.RoleManager, Purpose: permission.PurposeTask, ProjectID: "p"},
	"manager chat": {Role: permission.RoleManager, Purpose: permission.PurposeChat, ProjectID: "p"},
	"worker task":  {Role: permission.RoleWorker, Purpose: permission.PurposeTask, ProjectID: "p"},
	"worker chat":  {Role: permission.RoleWorker, Purpose: permission.PurposeChat, ProjectID: "p"},
}

// TestEveryCellOfTheTable holds table.txtar: each permission and each caller, byte for byte.
func TestEveryCellOfTheTable(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/table.txtar")
	if err != nil {
		t.Fatal(err)
	}
	judged := map[string]bool{}
	for _, section := range archive.Files {
		lines := strings.Split(strings.TrimSuffix(string(section.Data), "\n"), "\n")
		if len(lines) != len(callers) {
			t.Errorf("%s: %d callers", section.Name, len(lines))
		}
		judged[section.Name] = true
		for _, line := range lines {
			who, want, _ := strings.Cut(line, ": ")
			caller, known := callers[who]
			if !known {
				t.Fatalf("%s: %q is none of the callers", section.Name, who)
			}
			if got := told(authz.Judge(caller, permission.ToolPermission(section.Name), "X")); got != want {
				t.Errorf("%s, %s: %q, want %q", section.Name, who, got, want)
			}
		}
	}
	for _, needs := range permission.ToolPermissionWords {
		if !judged[string(needs)] {
			t.Errorf("%s is not in the table", needs)
		}
	}
}

func told(refusal *permission.Explanation) string {
	if refusal == nil {
		return "yes"
	}
	return refusal.Reason
}

// TestEachRefusalHasItsCode and the values of its words, so that a screen can say it otherwise.
func TestEachRefusalHasItsCode(t *testing.T) {
	for _, c := range []struct {
		who    string
		needs  permission.ToolPermission
		code   permission.ReasonCode
		params permission.Params
	}{
		{"no session", permission.NeedsSession, permission.ReasonAuthenticationRequired, `{"tool":"a'b"}`},
		{"worker task", permission.NeedsCoordinator, permission.ReasonCoordinatorRequired, `{"tool":"a'b"}`},
		{"worker task", permission.NeedsManager, permission.ReasonManagerRequired, `{"tool":"a'b"}`},
		{"manager task", permission.NeedsWorker, permission.ReasonWorkerRequired, `{"tool":"a'b"}`},
		{"worker task", permission.NeedsChat, permission.ReasonChatRequired, `{"tool":"a'b","purpose":"task"}`},
		{"worker chat", permission.NeedsTask, permission.ReasonTaskRequired, `{"tool":"a'b","purpose":"chat"}`},
		{"worker chat", "", permission.ReasonToolNotRegistered, `{"tool":"a'b"}`},
	} {
		got := authz.Judge(callers[c.who], c.needs, "a'b")
		if got == nil || got.Code != c.code || got.Params != c.params || !got.Code.ByTable() {
			t.Errorf("%s, %s: %+v", c.who, c.needs, got)
		}
	}
	for _, code := range permission.ReasonCodes {
		if code.ByTable() != strings.HasPrefix(string(code), "requires_") && code != permission.ReasonToolNotRegistered {
			t.Errorf("%s: by the table: %v", code, code.ByTable())
		}
	}
}

// TestARoleOrPurposeOfNobody is that of an agent without a session.
func TestARoleOrPurposeOfNobody(t *testing.T) {
	for _, c := range []permission.Standing{{Role: "operator", Purpose: "task"}, {Role: permission.RoleManager},
		{Role: permission.RoleWorker, Purpose: "both"}, {Purpose: permission.PurposeTask}, {Role: "Worker", Purpose: "task"}} {
		for _, needs := range permission.ToolPermissionWords {
			if got, want := told(authz.Judge(c, needs, "X")), told(authz.Judge(permission.Standing{}, needs, "X")); got != want {
				t.Errorf("%+v, %s: %q, want %q", c, needs, got, want)
			}
		}
	}
}

// TestTheExactNameComesBeforeTheStar, and names are compared byte for byte.
func TestTheExactNameComesBeforeTheStar(t *testing.T) {
	worker, nobody := callers["worker task"], permission.Standing{}
	starred := permission.ToolPermissions{"create_issue": permission.NeedsChat, "open": permission.NeedsNothing, "*": permission.NeedsSession}
	named := permission.ToolPermissions{"create_issue": permission.NeedsSession}
	for _, c := range []struct {
		of     permission.ToolPermissions
		caller permission.Standing
		tool   string
		want   string
	}{
		{starred, worker, "create_issue", "Tool 'create_issue' requires a chat session. Current session purpose is 'task'."},
		{starred, worker, "Create_Issue", "yes"},
		{starred, worker, "create_issue ", "yes"},
		{starred, worker, "", "yes"},
		{starred, nobody, "open", "yes"},
		{starred, nobody, "ope\u0301n", "Tool 'ope\u0301n' requires authentication. Call 'authenticate' first."},
		{named, worker, "create_issue", "yes"},
		{named, worker, "create_issu\u0435", "Tool 'create_issu\u0435' is not registered."},
		{named, callers["coordinator"], "other", "Tool 'other' is not registered."},
		{named, nobody, "*", "Tool '*' is not registered."},
		{permission.ToolPermissions{}, worker, "create_issue", "Tool 'create_issue' is not registered."},
		{nil, nobody, "create_issue", "yes"},
	} {
		if got := told(authz.Permits(c.of, c.caller, c.tool)); got != c.want {
			t.Errorf("%v, %q: %q, want %q", c.of, c.tool, got, c.want)
		}
	}
}

// TestNoSessionIsLetFurtherThanAnother by its purpose: of two that differ in it alone, each may
// use all that the other may, but for what is for one purpose.
func TestNoSessionIsLetFurtherThanAnother(t *testing.T) {
	purposed := []permission.ToolPermission{permission.NeedsChat, permission.NeedsTask}
	for _, role := range []string{"manager", "worker"} {
		for _, needs := range permission.ToolPermissionWords {
			same := told(authz.Judge(callers[role+" task"], needs, "X")) == told(authz.Judge(callers[role+" chat"], needs, "X"))
			if same == slices.Contains(purposed, needs) {
				t.Errorf("%s, %s: alike: %v", role, needs, same)
			}
		}
	}
}
