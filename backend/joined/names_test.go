package joined

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

var modelName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)

func TestJoinedNames(t *testing.T) {
	long := strings.Repeat("x", 80)
	for _, tt := range []struct {
		what  string
		pairs []pair
		want  []string // $ stands for a tail of eight
	}{
		{"as they are", []pair{{"fs", "read"}, {"git", "read"}, {"a-b.c", "C_d.e"}}, []string{"fs__read", "git__read", "a-b.c__C_d.e"}},
		{"no name", []pair{{"fs", ""}}, []string{"fs__"}},
		{"odd letters", []pair{{"a.b", "r/w"}, {"fs", "日本 x"}, {"fs", "é\ufffd"}}, []string{"a.b__r_w_$", "fs_____x_$", "fs_____$"}},
		{"of 64 letters", []pair{{"fs", long[:60]}}, []string{"fs__" + long[:60]}},
		{"of 65 letters", []pair{{"fs", long[:61]}}, []string{"fs__" + long[:51] + "_$"}},
		{"cut alike", []pair{{"fs", long + "1"}, {"fs", long + "2"}}, []string{"fs__" + long[:51] + "_$", "fs__" + long[:51] + "_$"}},
		{"changed alike", []pair{{"a", "r/w"}, {"a", "r_w"}}, []string{"a__r_w_$", "a__r_w"}},
		{"joined alike", []pair{{"a_", "x"}, {"a", "_x"}}, []string{"a___x_$", "a___x_$"}},
		{"twice the same", []pair{{"fs", "read"}, {"fs", "read"}}, []string{"fs__read", "fs__read"}},
		{"nothing", nil, nil},
	} {
		of := uniqueNames(tt.pairs)
		turned := slices.Clone(tt.pairs)
		slices.Reverse(turned)
		again := uniqueNames(turned)
		for i, p := range tt.pairs {
			want := "^" + strings.ReplaceAll(regexp.QuoteMeta(tt.want[i]), `\$`, "[0-9a-f]{8}") + "$"
			found := false
			for name, q := range of {
				if q != p {
					continue
				}
				found = true
				if !modelName.MatchString(name) || !regexp.MustCompile(want).MatchString(name) || again[name] != p {
					t.Errorf("%s: %q is %s, want %s; in another order %q", tt.what, p, name, want, again[name])
				}
			}
			if !found {
				t.Errorf("%s: %q has no name", tt.what, p)
			}
		}
	}
}

// TestJoinedNamesThatAreMadeToCollide: a server names its tools after the tails of others.
func TestJoinedNamesThatAreMadeToCollide(t *testing.T) {
	victim := pair{"a_", "x"}
	pairs := []pair{victim, {"a", "_x"}}
	for _, digits := range tails {
		pairs = append(pairs, pair{"a", strings.TrimPrefix(victim.tailed(digits), "a__")})
	}
	of := uniqueNames(pairs[:len(pairs)-1])
	if len(of) != len(pairs)-1 {
		t.Errorf("%d tools have %d names: %v", len(pairs)-1, len(of), of)
	}
	for name := range of {
		if !modelName.MatchString(name) {
			t.Errorf("name %q", name)
		}
	}
	for _, p := range uniqueNames(pairs) { // beyond the last tail nobody gets the other's name
		if p == victim || p == pairs[len(pairs)-1] {
			t.Errorf("%q has a name that two may bear", p)
		}
	}
}

func FuzzJoinedNames(f *testing.F) {
	f.Add("a_", "x", "a", "_x")
	f.Add("a.b", "日本", "a_b", "\xff")
	f.Fuzz(func(t *testing.T, s1, t1, s2, t2 string) {
		a, b := pair{s1, t1}, pair{s2, t2}
		of := uniqueNames([]pair{a, b})
		if want := map[bool]int{true: 1, false: 2}[a == b]; len(of) != want {
			t.Errorf("%d names", len(of))
		}
		for name := range of {
			if !modelName.MatchString(name) {
				t.Errorf("name %q", name)
			}
		}
	})
}
