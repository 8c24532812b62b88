package reach

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	celast "github.com/google/cel-go/common/ast"

	"sekisho/backend/command"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// maxSlipRules bounds the rules that one look at all of them tries.
const maxSlipRules = 500

// Slips finds conditions that take a prefix or another piece of a line, a path or a URL for the
// whole: for each a call that slips by it, judged by the rules, and a condition that holds it.
func Slips(set *policy.Set, risk Risk, now permission.Time) []permission.Finding {
	l := &slips{set: set, rules: prepare(set, now), risk: risk, now: now}
	tried := 0
	for i, r := range l.rules {
		expression, ok := r.expression()
		if !ok || expression == nil {
			continue
		}
		pieces := piecesOf(r, expression)
		if len(pieces) == 0 {
			continue
		}
		if tried++; tried > maxSlipRules {
			break
		}
		for _, p := range pieces {
			if f, found := l.look(r, i, p); found {
				l.findings = append(l.findings, f)
				break
			}
		}
	}
	return l.findings
}

type slips struct {
	set      *policy.Set
	rules    []*rule
	risk     Risk
	now      permission.Time
	looks    int
	findings []permission.Finding
}

// piece is a part of a condition that looks at a piece of a text.
type piece struct {
	code  permission.FindingCode
	v     string   // the variable that has the text
	part  string   // of the condition
	safe  string   // what is meant, in the place of part
	meant []string // values that the part is meant for
	other []string // values that may slip by
}

// piecesOf finds the pieces in a condition.
func piecesOf(r *rule, expression *policy.Expression) (all []piece) {
	e := &evaluator{}
	walk(expression.Tree.Expr(), nil, func(x celast.Expr, _ []string) bool {
		if x.Kind() != celast.CallKind || !x.AsCall().IsMemberFunction() || len(x.AsCall().Args()) != 1 {
			return true
		}
		v, is := e.variable(x.AsCall().Target())
		value, constant := e.value(x.AsCall().Args()[0])
		s, isText := text(value)
		if !is || !constant || !isText || s == "" || !strings.HasPrefix(v, inputOf) {
			return true
		}
		part, err := cel.ExprToString(x, expression.Tree.SourceInfo())
		of, err2 := cel.ExprToString(x.AsCall().Target(), expression.Tree.SourceInfo())
		if p, known := pieceOf(x.AsCall().FunctionName(), v, of, s, r.Effect == permission.Allow); known && err == nil && err2 == nil {
			p.v, p.part = v, part
			all = append(all, p)
		}
		return true
	})
	return all
}

// pieceOf tells what a function of a text and a constant is meant for.
func pieceOf(function, v, of, s string, allow bool) (p piece, known bool) {
	regular := s
	switch function {
	case "startsWith", "contains":
	case "matches":
		if strings.HasPrefix(s, "^") && strings.HasSuffix(s, "$") {
			return p, false
		}
		s = strings.Trim(fitted(s), " ")
	default:
		return p, false
	}
	switch {
	case slices.Contains(lineVariables, v):
		return linePiece(of, s, allow)
	case strings.Contains(s, "://"):
		p, known = urlPiece(of, s)
	case strings.HasPrefix(s, "/") && strings.Trim(s, "/.") != "":
		p, known = pathPiece(of, s), true
	}
	if known && function == "matches" {
		p.safe = of + ".matches(" + quote("^(?:"+regular+")$") + ")"
		p.meant, p.other = append(p.meant, s), append(p.other, "/tmp"+s, s+"/../../"+made)
	}
	return p, known
}

// fitted is a text that a regular expression is likely to match.
func fitted(re string) (s string) {
	for _, value := range fitting("matches", quote(re)) {
		s, _ = text(value)
	}
	return s
}

// linePiece is about the commands of a line: by their program where the text names no verb of one
// that has them.
func linePiece(of, s string, allow bool) (p piece, known bool) {
	if strings.HasSuffix(s, " ") && allow { // it ends with a word
		return p, false
	}
	meant := strings.TrimSpace(s)
	if first := command.Read(meant).Parts[0]; first.Stranger && first.Verb == "" && command.Read("git " + meant).Parts[0].Verb == meant &&
		slices.Contains([]string{"push", "commit", "reset", "rebase", "clean", "checkout"}, meant) {
		meant = "git " + meant
	}
	line := command.Read(meant)
	part := line.Parts[0]
	if line.Opaque || len(line.Parts) != 1 || part.Name == "" {
		return p, false
	}
	p = piece{code: permission.FindsLineText, meant: []string{meant, meant + " " + made}}
	shell := "shell(" + of + ")"
	switch byProgram := part.Verb == "" && command.Read(meant + " " + made).Parts[0].Verb != ""; {
	case byProgram && allow:
		p.safe = shell + ".parts.all(p, p.program == " + quote(part.Program) + ")"
	case byProgram:
		p.safe = shell + ".parts.exists(p, p.program == " + quote(part.Program) + ")"
	case allow:
		p.safe = shell + ".names.all(n, n in [" + quote(part.Name) + "])"
	default:
		p.safe = quote(part.Name) + " in " + shell + ".names"
	}
	program, rest, _ := strings.Cut(meant, " ")
	if allow {
		p.other = []string{meant + "x", "rm -rf " + s, "rm " + s}
		return p, true
	}
	p.other = []string{"/bin/" + meant, "/usr/bin/" + meant, strings.ReplaceAll(meant, " ", "  "), program[:1] + "''" + program[1:] + " " + rest,
		program + " -C . " + rest}
	return p, true
}

func pathPiece(of, s string) piece {
	folder := strings.TrimRight(s, "/")
	inside, parent := folder+"/"+made, folder[:strings.LastIndex(folder, "/")]
	return piece{code: permission.FindsPathText, safe: "under(" + of + ", " + quote(folder) + ")", meant: []string{inside, "/etc/" + made},
		other: []string{folder + "-secret/" + made, folder + "/../" + made, folder + "/../../../../../etc/passwd", "/." + inside,
			parent + "/./" + inside[len(parent)+1:], "/" + inside}}
}

func urlPiece(of, s string) (p piece, known bool) {
	scheme, rest, _ := strings.Cut(s, "://")
	host, _, _ := strings.Cut(rest, "/")
	if host == "" || strings.ContainsAny(host, "@?#:*") {
		return p, false
	}
	return piece{code: permission.FindsURLText, safe: of + ".matches(" + quote("(?i)^"+scheme+"://"+regexp.QuoteMeta(host)+"(:[0-9]+)?([/?#].*)?$") + ")",
		meant: []string{scheme + "://" + host + "/" + made, "https://other.example/"},
		other: []string{scheme + "://" + host + ".evil.net/", scheme + "://" + host + "@evil.net/", strings.ToUpper(scheme) + "://" + host + "/",
			scheme + "://" + strings.ToUpper(host) + "/" + made}}, true
}

// look tries the values of a piece: one that is meant must be decided alike by the rule as it is
// and with the safe condition, and then one that slips by is decided less strictly.
func (l *slips) look(r *rule, at int, p piece) (f permission.Finding, found bool) {
	mended := r.Rule
	mended.Condition = replaced(r, p)
	if mended.Condition == nil {
		return f, false
	}
	safe := l.set.Draft([]permission.Rule{mended}, nil)
	for _, meant := range p.meant {
		s := l.search(r, at)
		from := start(r, permission.CallTool)
		value := quote(meant)
		var held *state
		s.try = func(of *state) *policy.Call {
			c := complete(of, l.rules, l.risk)
			if d := l.set.Decide(c, l.now); l.by(d, r) && l.by(safe.Decide(c, l.now), r) {
				held = of
				return &c
			}
			return nil
		}
		if s.find(from.with(step{v: p.v, is: &value})) == nil {
			continue
		}
		for _, other := range p.other {
			value := quote(other)
			c := complete(held.with(step{v: p.v, is: &value}), l.rules, l.risk)
			was, is := l.set.Decide(c, l.now), safe.Decide(c, l.now)
			if policy.Strength(was.Effect) > policy.Strength(is.Effect) {
				return slipped(r, p, other, was.Effect, *mended.Condition), true
			}
		}
	}
	return f, false
}

// by reports whether a rule decides so.
func (l *slips) by(d policy.Decision, r *rule) bool {
	return d.Effect == r.Effect && d.Rule != nil && d.Rule.ID == r.ID
}

func (l *slips) search(r *rule, at int) *search {
	return &search{looks: &l.looks, narrow: func(s *state) (none bool, branches []step) {
		o, branches := r.applies(s, true)
		if !o.may(isTrue) {
			return true, nil
		}
		by, more := stopped(s, l.rules[:at], &l.looks)
		if branches == nil {
			branches = more
		}
		return by != nil, branches
	}}
}

// replaced is the condition of a rule with the safe form in the place of a part; nil where the
// part does not stand in it once, or where that is no condition.
func replaced(r *rule, p piece) *string {
	source := *r.Condition
	if strings.Count(source, p.part) != 1 {
		printed, err := cel.ExprToString(r.condition.Tree.Expr(), r.condition.Tree.SourceInfo())
		if err != nil || strings.Count(printed, p.part) != 1 {
			return nil
		}
		source = printed
	}
	safe := p.safe
	if before, _, _ := strings.Cut(source, p.part); strings.HasSuffix(strings.TrimRight(before, " "), "!") && strings.Contains(safe, " in ") {
		safe = "(" + safe + ")"
	}
	source = strings.Replace(source, p.part, safe, 1)
	if _, err := policy.Express(source); err != nil || len(source) > permission.MaxConditionBytes {
		return nil
	}
	return &source
}

func slipped(r *rule, p piece, slip string, outcome permission.Effect, safe string) permission.Finding {
	return permission.Finding{RuleID: r.ID, Kind: permission.FindingSlipsBy, Code: p.code,
		Params: permission.Param("part", p.part).With(permission.Param("slip", slip)).With(permission.Param("effect", r.Effect)).
			With(permission.Param("outcome", outcome)).With(permission.Param("safe", safe)),
		Message: fmt.Sprintf("%s looks at a piece of the text: the rules %s %s; safe is %s",
			p.part, strings.TrimSuffix(policy.Verb(outcome), "s"), permission.Show(slip), safe)}
}
