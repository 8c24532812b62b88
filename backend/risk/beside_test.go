package risk_test

import (
	"encoding/json"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/risk"
)

// TestBesideALine: a member beside a harmless line is known to change nothing, or the line is not low and is answered once; what says
// that it runs as somebody else, elsewhere, or with another line, makes it high.
func TestBesideALine(t *testing.T) {
	for want, members := range map[permission.Risk][]string{
		permission.RiskLow: {`"description":"x"`, `"timeout":1`, `"timeout_ms":1`, `"timeoutSeconds":5`, `"hard_timeout_secs":1`,
			`"run_in_background":true`,
			`"isBackground":false`, `"is_background":true`, `"workdir":"/w"`, `"cwd":"sub"`, `"justification":"x"`, `"explanation":"x"`,
			`"with_escalated_permissions":false`, `"sandbox_permissions":"use_default"`, `"sandbox":true`, `"login":true`, `"tty":false`,
			`"yield_time_ms":1000`, `"max_output_tokens":1000`, `"prefix_rule":["ls"]`, `"shell":"bash"`, `"requires_approval":false`,
			`"security_risk":"LOW"`, `"sessionId":"a"`, `"mode":"sync"`, `"initial_wait":5`, `"env":{"CI":"1"}`, `"env_vars":{"CI":"1"}`,
			`"sudo":false`, `"as_user":null`, `"host":""`, `"args":[]`, `"goal":"x"`, `"require_user_approval":false`,
			`"elevate":false`, `"n":"a1"`, `"seq":3`},
		permission.RiskMedium: {`"path":"x"`, `"folder":"x"`, `"chdir":"x"`, `"in":"x"`, `"at":"x"`, `"location":"x"`, `"pwd":"x"`,
			`"rootDir":"x"`, `"network":true`, `"x":1`, `"options":["-x"]`, `"container":"web"`, `"pod_name":"web"`, `"host":"localhost"`},
		permission.RiskHigh: {`"env_vars":{"LD_PRELOAD":"./x.so"}`, `"environ":{"PATH":"."}`, `"extra_env":{"PATH":"."}`,
			`"process_env":{"PATH":"."}`, `"environmentVariables":{"NODE_OPTIONS":"-r ./x"}`, `"vars":{"PATH":"."}`, `"as_user":"root"`, `"asUser":"root"`, `"run_as":"root"`,
			`"elevate":true`, `"use_sudo":true`, `"commandLine":"rm -rf /"`, `"commands":["rm -rf /"]`, `"cmdline":"rm -rf /"`, `"then":"rm x"`,
			`"pre":"rm x"`, `"post_command":"rm x"`, `"script_body":"rm x"`, `"code":"x"`, `"arguments":["-x"]`, `"argv":["x"]`, `"inputs":"x"`,
			`"ssh_host":"prod"`, `"server":"prod"`, `"machine":"prod"`, `"sandbox":false`, `"use_sandbox":false`,
			`"with_escalated_permissions":true`, `"sandbox_permissions":"require_escalated"`, `"required_permissions":["all"]`},
	} {
		for _, member := range members {
			input := json.RawMessage(`{"command":"ls",` + member + `}`)
			level, reasons := risk.Judge(risk.Call{Tool: "bash", Cwd: "/w", Input: input})
			_, once := policy.ClassOf(&policy.Call{ToolName: "bash", Cwd: new("/w"), Input: input}, nil)
			if level != want || (once == "") != (want == permission.RiskLow) {
				t.Errorf("%s is %s %v and answered %q, want %s", input, level, codes(reasons), once, want)
			}
		}
	}
}
