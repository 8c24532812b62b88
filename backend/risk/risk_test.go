package risk_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"sekisho/backend/cputime"
	"sekisho/backend/permission"
	"sekisho/backend/risk"
)

const hint = "the server says that this tool may destroy"

func verb(v string) string { return `the tool's name has the verb "` + v + `"` }

func TestJudge(t *testing.T) {
	for _, tt := range []struct {
		name    string
		hint    bool
		reasons []string
	}{
		{"", false, []string{}}, {"read_file", false, []string{}}, {"read_file", true, []string{hint}}, {"", true, []string{hint}},
		{"delete_file", false, []string{verb("delete")}}, {"delete_file", true, []string{hint, verb("delete")}},
		{"deleteFile", false, []string{verb("delete")}}, {"DELETE", false, []string{verb("delete")}},
		{"HTTPDelete", false, []string{verb("delete")}}, {"DELETEFile", false, []string{verb("delete")}},
		{"fs.rm", false, []string{verb("rm")}}, {"rm2", false, []string{verb("rm")}}, {"2rm", false, []string{verb("rm")}},
		{"rmDir", false, []string{verb("rm")}}, {"db/drop-table", false, []string{verb("drop")}},
		{"db:Purge all", false, []string{verb("purge")}},
		{"bulk_deletion", false, []string{verb("delete")}}, {"removal", false, []string{verb("remove")}},
		{"killing", false, []string{verb("kill")}},
		{"delete_or_deletes_deleting", false, []string{verb("delete")}},
		{"wipe_and_purge", false, []string{verb("wipe"), verb("purge")}}, {"ns__delete__x", false, []string{verb("delete")}},
		{"delete(x)", false, []string{verb("delete")}}, {"decommissioning", false, []string{verb("decommission")}},
		{"удали_delete", false, []string{verb("delete")}},

		// Words that only hold a verb, and what is gone already.
		{"undelete_file", false, []string{}}, {"skill", false, []string{}}, {"alarm", false, []string{}}, {"dropdown", false, []string{}},
		{"list_deleted_files", false, []string{}}, {"get_removed", false, []string{}}, {"terminal_run", false, []string{}},
		{"model_delta", false, []string{}}, {"deleteé", false, []string{}}, {"reformat", false, []string{}},

		// The three that are often something else.
		{"format_date", false, []string{}}, {"code.format", false, []string{}}, {"formatDocument", false, []string{}},
		{"format_disk", false, []string{verb("format")}}, {"disk_format", false, []string{verb("format")}},
		{"formatUSBDrive", false, []string{verb("format")}},
		{"reset_view", false, []string{}}, {"reset_zoom", false, []string{}}, {"reset", false, []string{verb("reset")}},
		{"reset_password", false, []string{verb("reset")}}, {"view_reset_database", false, []string{verb("reset")}},
		{"drag_and_drop", false, []string{}}, {"drop_table", false, []string{verb("drop")}}, {"drop", false, []string{verb("drop")}},
		{"DropBoxUpload", false, []string{}}, {"drop_box_delete", false, []string{verb("delete")}},
	} {
		want := permission.RiskMedium
		if len(tt.reasons) > 0 {
			want = permission.RiskHigh
		}
		if got, reasons := risk.Judge(tt.name, tt.hint, nil); got != want || !reflect.DeepEqual(reasons, tt.reasons) {
			t.Errorf("%q, hint %v: %s %q, want %q", tt.name, tt.hint, got, reasons, tt.reasons)
		}
	}
}

// TestHugeNames gives what makes a careless splitter quadratic.
func TestHugeNames(t *testing.T) {
	for _, unit := range []string{"a", "A", "_", "aA", "a1", "delete", "delete_", "drop_", "drag_drop_", "format_", "reset_", "é", "\xff",
		"Delete\x00"} {
		name := strings.Repeat(unit, 1<<18/len(unit))
		start := cputime.Now()
		_, reasons := risk.Judge(name, false, nil)
		if took := cputime.Since(start); took > 5*time.Second {
			t.Errorf("%q: %v", unit, took)
		}
		if len(reasons) > 1 {
			t.Errorf("%q: %d reasons", unit, len(reasons))
		}
	}
}

// FuzzJudge: a hint and more words never lower the risk, and letter case between
// separators says nothing.
func FuzzJudge(f *testing.F) {
	for _, seed := range []string{"delete_file", "dragDrop", "format disk", "Reset.View", "\xff", "rm1rm"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		plain, why := risk.Judge(name, false, nil)
		hinted, whyHinted := risk.Judge(name, true, nil)
		if plain == permission.RiskLow || hinted != permission.RiskHigh || !reflect.DeepEqual(whyHinted, append([]string{hint}, why...)) {
			t.Fatalf("%q: %s %q, with the hint %s %q", name, plain, why, hinted, whyHinted)
		}
		if (plain == permission.RiskHigh) != (len(why) > 0) {
			t.Fatalf("%q: %s because of %q", name, plain, why)
		}
		if with, _ := risk.Judge(name+"_purge", false, nil); with != permission.RiskHigh {
			t.Fatalf("%q with a verb: %s", name, with)
		}
		if lower := strings.ToLower(name); lower == name {
			if upper, _ := risk.Judge(strings.ToUpper(name), false, nil); plain == permission.RiskHigh && ascii(name) && upper != plain {
				t.Fatalf("%q is %s, in capitals %s", name, plain, upper)
			}
		}
	})
}

func ascii(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 })
}
