package advice_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"sekisho/backend/advice"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rulestest"
)

// TestInWords: conditions and what they say.
func TestInWords(t *testing.T) {
	for condition, want := range map[string]string{
		`input.path == "/w/a.txt"`:                       `[{"code":"equals","key":"path","texts":["/w/a.txt"]}]`,
		"input.path==\"/w/a.txt\"\n && risk != \"high\"": `[{"code":"equals","key":"path","texts":["/w/a.txt"]},{"code":"risk_not","key":"","texts":["high"]}]`,
		`input["a b"] in ["x", "y"]`:                     `[{"code":"one_of","key":"a b","texts":["x","y"]}]`,
		`input.n == -3 && has(input.x)`:                  `[{"code":"literal","key":"n","texts":["-3"]},{"code":"has","key":"x","texts":[]}]`,
		`agent.id == "a1"`:                               `[{"code":"agent","key":"","texts":["a1"]}]`,
		`input.path.startsWith("/w/") && !input.path.contains("..")`: `[{"code":"begins","key":"path","texts":["/w/"]},` +
			`{"code":"lacks","key":"path","texts":[".."]}]`,
		`shell(input.command).names.all(n, n in ["git add"])`: `[{"code":"programs","key":"command","texts":["git add"]}]`,
		`shell(input.cmd).parts.all(p, p.name in ["cp"] && p.operands.all(o, under(o, cwd) || under(o, "/t")))`: `[{"code":"parts","key":"cmd","texts":[],` +
			`"parts":[[{"code":"names","key":"","texts":["cp"]},{"code":"in","key":"operands","texts":["","/t"]}]]}]`,
		`shell(input.cmd).parts.all(p, (p.name in ["a"]) || (p.name in ["b"] && p.writes == []))`: `[{"code":"parts","key":"cmd","texts":[],"parts":[` +
			`[{"code":"names","key":"","texts":["a"]}],[{"code":"names","key":"","texts":["b"]},{"code":"exactly","key":"writes","texts":[]}]]}]`,
	} {
		clauses, ok := advice.InWords(condition)
		if got, _ := json.Marshal(clauses); !ok || string(got) != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", condition, ok, got, want)
		}
	}
}

// TestAdvanced: what is not said in words, since its clauses would not say it all, or since Go
// and CEL read its texts as different ones.
func TestAdvanced(t *testing.T) {
	for _, condition := range []string{
		``, ` `, `true`, `input.path`, `input.a == "x" || input.b == "y"`, `!(input.a == "x")`, `(input.a == "x")`, `input.a != "x"`,
		`input.a == 'x'`, `input.a == r"x"`, `input.a == b"x"`, `input.a == """x"""`, `input.a == "\xc3\xa9"`,
		`input.a == "\u0041"`, `input.a == "\101"`,
		`input.a == "x" // and more`, `input.a == "x" &&`, `&& input.a == "x"`, `input.a == "x" input.b == "y"`, `input.a == "x" ? true : false`,
		`input.a.b == "x"`, `input.a == 1.0`, `input.a == 1u`, `input.a == 0x1`, `input.a == -0`, `input.a == 007`,
		`input.a == 99999999999999999999`,
		`input.a in ["x",]`, `input.a in []  || true`, `input.in == "x"`, `input["a"] == "x"`, `input[a] == "x"`,
		`shell(input.c).parts.all(p, true)`, besideFolder("writes"), besideFolder("options"),
		`shell(input.c).parts.all(q, q.name in ["a"])`, `shell(input.c).parts.all(p, p.name in ["a"] || p.name in ["b"])`,
		`shell(input.c).parts.all(p, (p.name in ["a"]))`, `shell(input.c).parts.all(p, p.name in ["a"]) || true`,
		`shell(input.c).parts.exists(p, p.name in ["a"])`, `under(input.a, cwd)`, `shell(input.c).parts.all(p, p.operands.all(o, under(o, "")))`,
		`input.a == "x" && ` + strings.Repeat(" ", permission.MaxConditionBytes), "input.a == \"x\"\x00",
		"input.a == \"\xff\"", `input.a == "x`, `input.a == "\"`,
	} {
		if clauses, ok := advice.InWords(condition); ok {
			t.Errorf("%s: %+v", condition, clauses)
		} else if w := advice.WordingOf(condition); !w.Advanced || w.Clauses == nil || w.Condition != condition {
			t.Errorf("%s: %+v", condition, w)
		}
	}
}

// TestBesideFolderOfOperands: the words "on nothing but files in a folder" are those of operands.
func TestBesideFolderOfOperands(t *testing.T) {
	if clauses, ok := advice.InWords(besideFolder("operands")); !ok || clauses[0].Parts[0][0].Code != "beside_folder" {
		t.Errorf("%+v", clauses)
	}
}

// besideFolder is the condition that a member of each part has nothing but files in a folder.
func besideFolder(member string) string {
	clause := permission.PartClause{Code: "beside_folder", Key: "operands", Texts: []string{"/w"}}
	made, _ := advice.ConditionOf([]permission.Clause{{Code: "parts", Key: "c", Parts: [][]permission.PartClause{{clause}}}})
	return strings.Replace(made, "p.operands", "p."+member, 1)
}

// TestWordsOfWhatIsOffered: what is offered for calls is read in words and built again.
func TestWordsOfWhatIsOffered(t *testing.T) {
	set := rulestest.Set(t, `[]`)
	calls := []permission.PastCall{
		pastCall("files", "write_file", "/w/app", `{"path":"/w/app/a.txt","content":"x"}`), pastCall("web", "fetch", "",
			`{"url":"https://a.example/x"}`),
		pastCall("", "Read", "/w/app", `{"file_path":"/w/app/a.txt"}`), pastCall("srv", "list_things", "", `{}`),
		pastCall("db", "query", "", `{"sql":"select 1"}`),
	}
	lines := []string{"git status", "git add -A && git commit -m x", "go test ./...", "kubectl get pods | head",
		"curl -s http://localhost:8080/x", "cp a.txt b.txt",
		"npm install", "sed -i s/a/b/ a.txt", "python3 -c 'print(1)'", "make build > out.txt", "mkdir -p x/y", "docker build ."}
	for _, line := range lines {
		calls = append(calls, shellCall(line))
	}
	offered := 0
	for _, c := range calls {
		for _, p := range advice.Choices(set, c, nil, rulestest.Now) {
			offered++
			clauses, ok := advice.InWords(*p.Rule.Condition)
			if !ok {
				t.Errorf("%s: not in words: %s", p.Covers.Text, *p.Rule.Condition)
				continue
			}
			if made, err := advice.ConditionOf(clauses); err != nil || made != *p.Rule.Condition {
				t.Errorf("%s\nmade anew\n%s\n%v", *p.Rule.Condition, made, err)
			}
		}
	}
	if offered < 30 {
		t.Errorf("%d rules were offered", offered)
	}
}

// hostile are texts that try to get out of the quotes that they are put into.
var hostile = []string{``, `x`, `"`, `\`, `\"`, `" || true || "`, `") || true || ("`, `"] || true || x in ["`, "\n",
	"\x00", "\r\n//", `'`, `"""`, `\u0022`, `\x22`, `\42`,
	"é", "\u2028", "\ufeff", "\U0010ffff", "\u0085", "\x7f", "` || true", `$S`, `$K`, `%s`, `${x}`, `input`, `true`,
	`in`, `a.b`, `a"]`, `cwd`, "\u202e", "\ufffd"}

// randomClause is a clause of hostile texts.
func randomClause(random *rand.Rand) permission.Clause {
	text := func() string { return hostile[random.IntN(len(hostile))] }
	list := func(n int) []string {
		texts := []string{}
		for range n {
			texts = append(texts, text())
		}
		return texts
	}
	one := strings.Fields("equals begins ends contains lacks under host one_of sql programs")
	bare := strings.Fields("run_under folder agent agents agent_name session risk risk_not tools only_members no_members readers")
	part := func() permission.PartClause {
		switch random.IntN(4) {
		case 0:
			return permission.PartClause{Code: "names", Texts: list(1 + random.IntN(3))}
		case 1:
			return permission.PartClause{Code: "exactly", Key: "operands", Texts: list(random.IntN(3))}
		case 2:
			return permission.PartClause{Code: "in_not_git", Key: "writes", Texts: list(1 + random.IntN(2))}
		}
		return permission.PartClause{Code: "beside_folder", Key: "operands", Texts: list(1 + random.IntN(3))}
	}
	switch random.IntN(4) {
	case 0:
		return permission.Clause{Code: permission.ClauseCode(bare[random.IntN(len(bare))]), Texts: list(1)}
	case 1:
		c := permission.Clause{Code: "parts", Key: text(), Texts: []string{}}
		for range 1 + random.IntN(2) {
			c.Parts = append(c.Parts, []permission.PartClause{part(), part()})
		}
		return c
	case 2:
		return permission.Clause{Code: "literal", Key: text(), Texts: list(1)}
	}
	return permission.Clause{Code: permission.ClauseCode(one[random.IntN(len(one))]), Key: text(), Texts: list(1)}
}

// TestReadBack: a condition that is made of clauses says these clauses and nothing else, whatever
// stands in them, and compiles; what would say something else is refused.
func TestReadBack(t *testing.T) {
	random, made := rand.New(rand.NewPCG(18, 3)), 0
	for range 3000 {
		clauses := []permission.Clause{randomClause(random), randomClause(random)}
		condition, err := advice.ConditionOf(clauses)
		if err != nil {
			continue
		}
		made++
		if read, ok := advice.InWords(condition); !ok || !reflect.DeepEqual(read, clauses) {
			t.Fatalf("%s\nwas made of %+v\nand says %+v", condition, clauses, read)
		}
		if err := policy.CheckRule(&permission.Rule{Condition: &condition}); err != nil {
			t.Fatalf("%s: %v", condition, err)
		}
	}
	if made < 1000 {
		t.Errorf("%d of 3000 were made", made)
	}
}

// TestBreaksOut: a text in quotes stays the text, by the judge that reads the condition.
func TestBreaksOut(t *testing.T) {
	for _, text := range hostile {
		condition, err := advice.ConditionOf([]permission.Clause{{Code: "equals", Key: "x", Texts: []string{text}}})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		set := policy.Compile([]permission.Rule{{ID: "r", Effect: permission.Allow, AutoApprove: true, Enabled: true,
			Condition: &condition, ToolName: new("t")}}, 0)
		for _, other := range append([]string{"something else"}, hostile...) {
			input, _ := json.Marshal(map[string]string{"x": other})
			got := set.Decide(policy.Call{ToolName: "t", Input: input, Risk: permission.RiskLow}, rulestest.Now).Effect
			if (got == permission.Allow) != (other == text) {
				t.Errorf("%s for the input %q: %s", condition, other, got)
			}
		}
	}
}

// TestNoClauses: what is no clause makes no condition.
func TestNoClauses(t *testing.T) {
	for name, clauses := range map[string][]permission.Clause{
		"none": nil, "unknown": {{Code: "x"}}, "no text": {{Code: "equals", Key: "a"}}, "two texts": {{Code: "equals",
			Key: "a", Texts: []string{"x", "y"}}},
		"a key too many": {{Code: "agent", Key: "a", Texts: []string{"x"}}}, "no literal": {{Code: "literal", Key: "a",
			Texts: []string{"1 || true"}}},
		"not UTF-8": {{Code: "equals", Key: "a", Texts: []string{"\xff"}}}, "too long": {{Code: "equals", Key: "a",
			Texts: []string{strings.Repeat("x", 5000)}}},
		"parts of none": {{Code: "parts", Key: "a"}}, "a part without clauses": {{Code: "parts", Key: "a", Parts: [][]permission.PartClause{{}}}},
		"a member that no part has": {{Code: "parts", Key: "a", Parts: [][]permission.PartClause{{{Code: "exactly",
			Key: "x) || (true", Texts: []string{}}}}}},
		"no folder":                        {{Code: "parts", Key: "a", Parts: [][]permission.PartClause{{{Code: "in", Key: "operands"}}}}},
		"has of what CEL has no member of": {{Code: "has", Key: "a b"}}, "parts beside": {{Code: "agent",
			Texts: []string{"x"}, Parts: [][]permission.PartClause{{}}}},
	} {
		if made, err := advice.ConditionOf(clauses); err == nil {
			t.Errorf("%s: %s", name, made)
		}
	}
}

func FuzzInWords(f *testing.F) {
	for _, text := range hostile {
		f.Add("input.a == \"" + text + "\" && risk == \"low\"")
	}
	f.Fuzz(func(t *testing.T, condition string) {
		clauses, ok := advice.InWords(condition)
		if !ok {
			return
		}
		made, err := advice.ConditionOf(clauses)
		if again, _ := advice.InWords(made); err == nil && !reflect.DeepEqual(again, clauses) {
			t.Errorf("%q and %q differ", condition, made)
		}
	})
}
