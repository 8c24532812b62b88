package policy_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"sekisho/backend/pattern"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rulestest"
)

// TestIndexShape edits sets of all shapes to nothing and back.
func TestIndexShape(t *testing.T) {
	for shape := range rulestest.Shapes {
		r, rules := rand.New(rand.NewPCG(uint64(shape), 3)), rulestest.ShapeRules(shape, 500)
		for i := range rules {
			rules[i].Enabled = i%10 > 0
		}
		whole := policy.Compile(rules, 0)
		s := whole
		for _, i := range r.Perm(len(rules)) {
			s = s.Edit(nil, []permission.RuleID{rules[i].ID}, 1)
			if issue := s.IndexIsWhole(); issue != "" && i%7 == 0 {
				t.Fatal(issue)
			}
		}
		if s.Len() != 0 || len(s.Rules()) != 0 {
			t.Fatalf("%d rules are left", s.Len())
		}
		for _, i := range r.Perm(len(rules)) {
			s = s.Edit(rules[i:i+1], nil, 1)
		}
		for _, s := range []*policy.Set{s, whole} {
			if issue := s.IndexIsWhole(); issue != "" || s.Len() != len(rules) {
				t.Fatal(issue)
			}
		}
		checkSame(t, 0, s, policy.Compile(rules, 1))
	}
}

func TestEditKeepsWhatItDoesNotTouch(t *testing.T) {
	rules := []permission.Rule{{ID: "a", ToolName: new("x"), Effect: permission.Allow, AutoApprove: true, Enabled: true},
		{ID: "b", Priority: 1, Effect: permission.Deny, ToolPattern: new("y*"), Enabled: true}}
	s := policy.Compile(rules, 1)
	*rules[0].ToolName = "changed"
	bad := permission.Rule{ID: "b", Effect: "permit"}
	for name, tt := range map[string]struct {
		set  *policy.Set
		want permission.Effect // of y1
		len  int
	}{
		"nothing": {s.Edit(nil, nil, 2), permission.Deny, 2},
		"removed": {s.Edit(nil, []permission.RuleID{"b", "b", "none"}, 2), permission.Ask, 1},
		"removed and put": {s.Edit([]permission.Rule{{ID: "b", Effect: permission.Deny, Enabled: true}}, []permission.RuleID{"b"}, 2),
			permission.Deny, 2},
		"replaced":         {s.Edit([]permission.Rule{{ID: "b", Effect: permission.Ask, Enabled: true}}, nil, 2), permission.Ask, 2},
		"replaced by none": {s.Edit([]permission.Rule{bad}, nil, 2), permission.Ask, 1},
	} {
		d := tt.set.Decide(policy.Call{ToolName: "y1"}, rulestest.Now)
		if d.Effect != tt.want || tt.set.Len() != tt.len || tt.set.Version() != 2 {
			t.Errorf("%s: %+v of %d", name, d, tt.set.Len())
		}
		if d := tt.set.Decide(policy.Call{ToolName: "x"}, rulestest.Now); d.Effect != permission.Allow && name != "removed and put" &&
			name != "replaced" {
			t.Errorf("%s: %+v", name, d)
		}
	}
	if d := s.Decide(policy.Call{ToolName: "y1"}, rulestest.Now); d.Effect != permission.Deny || s.Len() != 2 || s.Version() != 1 {
		t.Errorf("the old set: %+v", d)
	}
}

// TestRulesOfOneID: a list should not have them, but if it has, none of them is lost.
func TestRulesOfOneID(t *testing.T) {
	deny := permission.Rule{ID: "a", ToolName: new("x"), Effect: permission.Deny, Enabled: true}
	ask := permission.Rule{ID: "a", ToolName: new("y"), Effect: permission.Ask, Enabled: true, Priority: 5}
	s := policy.Compile([]permission.Rule{deny, ask, deny}, 0)
	if s.Len() != 3 || s.Decide(policy.Call{ToolName: "x"}, rulestest.Now).Effect != permission.Deny || s.IndexIsWhole() != "" {
		t.Error("a rule is lost")
	}
	if s = s.Edit(nil, []permission.RuleID{"a"}, 0); s.Len() != 0 || s.IndexIsWhole() != "" {
		t.Error("a rule is left")
	}
}

// mostWork is the most that any of the calls costs when it is new.
func mostWork(s *policy.Set, calls []policy.Call) int {
	most := 0
	for _, c := range calls {
		most = max(most, s.Work(c))
	}
	return most
}

// TestWork counts what new names cost in sets of all shapes, where each rule has a word
// of its own: not more than some steps for each byte, and hardly more with more rules.
func TestWork(t *testing.T) {
	for shape, bound := range map[int]int{0: 2, 1: 12, 2: 12, 3: 100, 4: 170, 5: 130} {
		for _, n := range []int{5, 1000, 20_000} {
			s := policy.Compile(rulestest.ShapeRules(shape, n), 0)
			if most := mostWork(s, shapeCalls(shape, n, 500)); most > bound {
				t.Errorf("%s, %d rules: %d steps for a new name, more than %d", rulestest.Shapes[shape].Name, n, most, bound)
			}
		}
	}
}

// TestWorkOfWorstNames: 64 bytes that are made of the parts of infix rules.
func TestWorkOfWorstNames(t *testing.T) {
	s, calls := policy.Compile(rulestest.ShapeRules(3, 50_000), 0), make([]policy.Call, 200)
	for i := range calls {
		for j := range 8 {
			calls[i].ToolName += rulestest.Word((8*i + j) * 7919 % 50_000)
		}
	}
	if most := mostWork(s, calls); most > 64*5 {
		t.Errorf("%d steps", most)
	}
}

// TestWorkOfSharedParts: rules that share one part with the name and differ in another
// are not held against it, whichever part is shared; nor are rules of equal patterns,
// but for the best.
func TestWorkOfSharedParts(t *testing.T) {
	for _, format := range []string{"read_*%s*", "*_file*%s*", "*%s*_file", "read_*%s*_file", "read_*%s", "%s*_file", "*read*%s*_*f*", "*",
		"read_*", "*file*"} {
		rules := make([]permission.Rule, 5000)
		for i := range rules {
			text := format
			if strings.Contains(format, "%s") {
				text = fmt.Sprintf(format, rulestest.Word(i))
			}
			rules[i] = permission.Rule{ID: permission.RuleID(fmt.Sprint(i)), ToolPattern: &text, Effect: permission.Deny, Enabled: true,
				Priority: int64(i % 5)}
		}
		if work := policy.Compile(rules, 0).Work(policy.Call{ToolName: "read_this_one_file"}); work > 70 {
			t.Errorf("%s: %d steps", format, work)
		}
	}
}

// TestWorkIsBoundedByTheName: keys that nest in each other as deep as they can.
func TestWorkIsBoundedByTheName(t *testing.T) {
	var rules []permission.Rule
	for i := 1; i <= 64; i++ {
		a := strings.Repeat("a", i)
		for kind, text := range []string{a + "*", "*" + a, "*" + a + "*"} {
			rules = append(rules, permission.Rule{ID: permission.RuleID(fmt.Sprintf("%d-%d", i, kind)), ToolPattern: &text,
				Effect: permission.Deny, Enabled: true, Priority: int64(i)})
		}
	}
	const length = 64
	work := policy.Compile(rules, 0).Work(policy.Call{ToolName: strings.Repeat("a", length)})
	if bound := length * (length + 5); work > bound {
		t.Errorf("%d steps, more than %d", work, bound)
	}
}

// TestLongNames: what a hostile agent can ask is bounded, and decided as it should be
// unless it takes all the work.
func TestLongNames(t *testing.T) {
	rules := []permission.Rule{{ID: "all", Effect: permission.Allow, AutoApprove: true, Enabled: true, Priority: 9}}
	for i := range 10_000 {
		text := "*" + rulestest.Word(i)[:3] + "*" + rulestest.Word(i + 1)[:3] + "*never*"
		rules = append(rules, permission.Rule{ID: permission.RuleID(fmt.Sprint(i)), ToolPattern: &text, Effect: permission.Deny, Enabled: true,
			Priority: int64(i % 7)})
	}
	last := "*end"
	rules = append(rules, permission.Rule{ID: "end", ToolPattern: &last, Effect: permission.Deny, Enabled: true})
	s := policy.Compile(rules, 0)
	var all strings.Builder
	for i := range 10_000 {
		all.WriteString(rulestest.Word(i)[:3])
	}
	for _, tt := range []struct {
		name, reason string
		effect       permission.Effect
	}{
		{strings.Repeat("-", 64<<10), "the tool name is longer than 256 bytes", permission.Ask},
		{strings.Repeat("-", 10<<20), "the tool name is longer than 256 bytes", permission.Ask},
		{strings.Repeat("-", 64<<10) + "END", "rule end (priority 0) denies *end of every server", permission.Deny},
		{all.String(), "the tool name is longer than 256 bytes, too long to be held against every deny rule", permission.Deny},
	} {
		c := policy.Call{ToolName: tt.name}
		d := s.Decide(c, rulestest.Now)
		if d.Effect != tt.effect || d.Reason != tt.reason || d.NameIssue == "" {
			t.Errorf("%.9s: %+v", tt.name, d)
		}
		if work := s.Work(c); work > policy.MaxWork+len(tt.name) {
			t.Errorf("%.9s: %d steps", tt.name, work)
		}
		traced, steps := s.Trace(c, rulestest.Now)
		for _, step := range steps {
			if step.Applies && (d.Rule == nil || step.RuleID != d.Rule.ID) {
				t.Errorf("%.9s: %+v", tt.name, step)
			}
		}
		if !reflect.DeepEqual(traced, d) {
			t.Errorf("%.9s: %+v, traced %+v", tt.name, d, traced)
		}
		if known, names := s.Remembers(c); known || names > 0 {
			t.Errorf("%.9s: remembered", tt.name)
		}
	}
}

// TestEveryPartOfAPatternCounts: the part under which a rule lies says all of some
// patterns, and of others it does not.
func TestEveryPartOfAPatternCounts(t *testing.T) {
	var patterns, names []string
	for _, first := range []string{"", "ab", "ababab"} {
		for _, middle := range []string{"*", "*c*", "*cccccccc*", "*c*dddd*", "*cccc*d*"} {
			for _, last := range []string{"", "e", "eeeeeeee"} {
				patterns = append(patterns, first+middle+last)
				for _, fill := range []string{"", "-"} {
					name := first + strings.ReplaceAll(middle, "*", fill) + last
					names = append(names, name, name+"x", "x"+name, strings.ToUpper(name))
				}
			}
		}
	}
	matched := 0
	for _, glob := range patterns {
		s := policy.Compile([]permission.Rule{{ID: "r", ToolPattern: &glob, Effect: permission.Deny, Enabled: true, CreatedAt: 1, UpdatedAt: 1}},
			0)
		match := pattern.Compile(glob)
		for _, name := range names {
			want := match.MatchFolded(pattern.Fold(name))
			if got := s.Decide(policy.Call{ToolName: name}, 1).Effect == permission.Deny; got != want {
				t.Errorf("%s applies to %s: %v, want %v", glob, name, got, want)
			}
			if want {
				matched++
			}
		}
	}
	if all := len(patterns) * len(names); matched < all/10 || matched > all*9/10 {
		t.Errorf("%d of %d match: this shows little", matched, all)
	}
}
