package risk_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"sekisho/backend/cputime"
	"sekisho/backend/permission"
	"sekisho/backend/risk"
)

// codes are those of reasons.
func codes(reasons []permission.RiskReason) []permission.RiskCode {
	all := make([]permission.RiskCode, len(reasons))
	for i, r := range reasons {
		all[i] = r.Code
	}
	return all
}

const hint = "hint"

func verb(v string) string { return v }

// param is a value that the words of a reason name.
func param(r permission.RiskReason, name string) string {
	var values map[string]string
	_ = json.Unmarshal([]byte(r.Params), &values)
	return values[name]
}

// said are the verbs of a name and the hint, as reasons name them.
func said(reasons []permission.RiskReason) []string {
	all := []string{}
	for _, r := range reasons {
		switch r.Code {
		case permission.RiskHint:
			all = append(all, hint)
		case permission.RiskNameDestroys, permission.RiskNameSends:
			all = append(all, param(r, "verb"))
		}
	}
	return all
}

func TestJudge(t *testing.T) {
	for _, tt := range []struct {
		name    string
		hint    bool
		reasons []string
	}{
		{"read_file", false, []string{}}, {"read_file", true, []string{hint}},
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

		// What sends.
		{"send_email", false, []string{"send", "email"}}, {"post_message", false, []string{"post", "message"}}, {"pay", false, []string{"pay"}},
		{"transferFunds", false, []string{"transfer"}}, {"merge_pull_request", false, []string{"merge"}}, {"deploy", false, []string{"deploy"}},
		{"publishPackage", false, []string{"publish"}}, {"push_files", false, []string{"push"}}, {"ѕеnd_money", false, []string{"send"}},
		{"create_issue", false, []string{"create"}}, {"create_pull_request", false, []string{"create"}},
		{"add_issue_comment", false, []string{"add", "comment"}},
		{"get_and_send_report", false, []string{"send"}}, {"list_posts", false, []string{}}, {"get_message", false, []string{}},
		{"search_emails", false, []string{}}, {"get_merge_base", false, []string{}}, {"list_issues", false, []string{}},
		{"validate_email", false, []string{}}, {"post_process", false, []string{}}, {"get_pull_request_comments", false, []string{}},
		// Words of programs that act elsewhere or destroy.
		{"kubectl_apply", false, []string{"apply"}}, {"helm_upgrade", false, []string{"upgrade"}}, {"terraform_apply", false, []string{"apply"}},
		{"kubectlScale", false, []string{"scale"}}, {"k8s_kubectl_rollout_restart", false, []string{"restart"}},
		{"kubectl_get", false, []string{}}, {"terraform_plan", false, []string{}}, {"helm_list", false, []string{}},
		{"git_commit", false, []string{}},
		{"apply_terraform", false, []string{"apply"}}, {"test_helm_chart", false, []string{}},
		{"list_remove_item", false, []string{verb("remove")}}, {"place_order", false, []string{"place"}},
		{"execute_trade", false, []string{"execute"}},
		{"book_flight", false, []string{"book"}}, {"make_call", false, []string{"make"}}, {"approve_pull_request", false, []string{"approve"}},
		{"run_workflow", false, []string{"run"}}, {"issue_write", false, []string{"issue"}}, {"SENDEMAIL", false, []string{"send"}},
		{"createConfluencePage", false, []string{"create"}},
		{"list_orders", false, []string{}}, {"get_order", false, []string{}}, {"sort_order", false, []string{}}, {"call_tool", false, []string{}},
		{"get_workflow_run", false, []string{}}, {"issue_read", false, []string{}}, {"address_book_search", false, []string{}},

		// Names of things.
		{"message_count", false, []string{}}, {"emailValidator", false, []string{}}, {"invoice_parser", false, []string{}},
		{"publish_date_lookup", false, []string{}}, {"release_notes_read", false, []string{}}, {"message_format", false, []string{}},
		{"tweet_search", false, []string{}}, {"undo_delete", false, []string{}}, {"purge_status", false, []string{}},
		{"get_reset_date", false, []string{}}, {"release_get", false, []string{}}, {"deploy_status", false, []string{}},
		{"payment_status", false, []string{}}, {"undo_last_delete", false, []string{}}, {"post_status", false, []string{"post"}},
		{"undo_and_delete", false, []string{verb("delete")}}, {"create_release_list", false, []string{"release"}},
		{"terminate_check", false, []string{}}, {"list_payments", false, []string{}},
		{"delete_status", false, []string{verb("delete")}}, {"reset_count", false, []string{verb("reset")}},
		{"get_and_reset_date", false, []string{verb("reset")}}, {"list_purge", false, []string{verb("purge")}},
		{"send_message_count", false, []string{"send"}}, {"publish_search", false, []string{"publish"}},
		{"drag_and_drop", false, []string{}}, {"drop_table", false, []string{verb("drop")}}, {"drop", false, []string{verb("drop")}},
		{"DropBoxUpload", false, []string{"upload"}}, {"drop_box_delete", false, []string{verb("delete")}},
	} {
		want := permission.RiskMedium
		if len(tt.reasons) > 0 {
			want = permission.RiskHigh
		}
		got, reasons := risk.Judge(risk.Call{Tool: tt.name, Hint: tt.hint})
		if got != want && ascii(tt.name) || !reflect.DeepEqual(said(reasons), tt.reasons) {
			t.Errorf("%q, hint %v: %s %v, want %q", tt.name, tt.hint, got, reasons, tt.reasons)
		}
	}
}

// TestHugeNames gives what makes a careless splitter quadratic.
func TestHugeNames(t *testing.T) {
	for _, unit := range []string{"a", "A", "_", "aA", "a1", "delete", "delete_", "run_", "issue_write_", "get_delete_",
		"kubectl_apply_", "make_call_", "drop_", "drag_drop_", "format_", "reset_", "é", "\xff",
		"Delete\x00"} {
		name := strings.Repeat(unit, 1<<18/len(unit))
		start := cputime.Now()
		_, reasons := risk.Judge(risk.Call{Tool: name})
		if took := cputime.Since(start); took > 5*time.Second {
			t.Errorf("%q: %v", unit, took)
		}
		if len(reasons) > 3 {
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
		plain, why := risk.Judge(risk.Call{Tool: name})
		hinted, whyHinted := risk.Judge(risk.Call{Tool: name, Hint: true})
		if plain == permission.RiskLow || hinted != permission.RiskHigh || !slices.Contains(codes(whyHinted), permission.RiskHint) {
			t.Fatalf("%q: %s %v, with the hint %s %v", name, plain, why, hinted, whyHinted)
		}
		if len(why) == 0 {
			t.Fatalf("%q: %s without a reason", name, plain)
		}
		if with, _ := risk.Judge(risk.Call{Tool: name + "_purge"}); with != permission.RiskHigh {
			t.Fatalf("%q with a verb: %s", name, with)
		}
		if lower := strings.ToLower(name); lower == name && ascii(name) {
			if upper, _ := risk.Judge(risk.Call{Tool: strings.ToUpper(name)}); plain == permission.RiskHigh && upper != plain {
				t.Fatalf("%q is %s, in capitals %s", name, plain, upper)
			}
		}
	})
}

func ascii(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 })
}
