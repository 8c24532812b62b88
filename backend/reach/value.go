package reach

import (
	"math"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
)

// variable gives the variable that an expression reads.
func (e *evaluator) variable(x celast.Expr) (v string, ok bool) {
	path, ok := pathOf(x)
	if !ok {
		return "", false
	}
	if _, bound := e.bound[path[0]]; bound {
		return "", false
	}
	v = strings.Join(path, separator)
	switch v {
	case serverOf, toolOf, methodOf, riskOf, cwdOf, sessionOf, agentIDOf, agentNameOf, subagentOf, roleOf, purposeOf, projectOf:
		return v, true
	}
	return v, len(path) > 1 && mayLack(v)
}

// pathOf takes a.b and a["b"] apart.
func pathOf(x celast.Expr) (path []string, ok bool) {
	switch x.Kind() {
	case celast.IdentKind:
		return []string{x.AsIdent()}, true
	case celast.SelectKind:
		path, ok = pathOf(x.AsSelect().Operand())
		return append(path, x.AsSelect().FieldName()), ok
	case celast.CallKind:
		call := x.AsCall()
		if call.FunctionName() == operators.Index && call.Args()[1].Kind() == celast.LiteralKind {
			if name, is := call.Args()[1].AsLiteral().(types.String); is {
				path, ok = pathOf(call.Args()[0])
				return append(path, string(name)), ok
			}
		}
	}
	return nil, false
}

// value gives the JSON text of a constant.
func (e *evaluator) value(x celast.Expr) (value string, ok bool) {
	switch x.Kind() {
	case celast.IdentKind:
		value, ok = e.bound[x.AsIdent()]
		return value, ok
	case celast.LiteralKind:
		return literal(x)
	}
	return "", false
}

func literal(x celast.Expr) (value string, ok bool) {
	switch v := x.AsLiteral().(type) {
	case types.String:
		return quote(string(v)), true
	case types.Bool:
		return strconv.FormatBool(bool(v)), true
	case types.Null:
		return null, true
	case types.Int:
		return strconv.FormatInt(int64(v), 10), int64(v) > -1<<53 && int64(v) < 1<<53
	case types.Double:
		f := float64(v)
		if f == math.Trunc(f) {
			return strconv.FormatFloat(f, 'f', 0, 64), math.Abs(f) < 1<<53 // 1.0 equals 1
		}
		return strconv.FormatFloat(f, 'g', -1, 64), !math.IsNaN(f)
	}
	return "", false
}

// values gives those of a list of constants.
func (e *evaluator) values(list celast.Expr) (values []string, ok bool) {
	for _, x := range list.AsList().Elements() {
		value, ok := e.value(x)
		if !ok {
			return nil, false
		}
		values = append(values, value)
	}
	return values, true
}

// variables gives those that an expression reads; all is false where it reads more, or where
// what it comes to is not told by them.
func (e *evaluator) variables(x celast.Expr) (vars []string, all bool) {
	all = true
	walk(x, nil, func(x celast.Expr, bound []string) bool {
		if v, is := e.variable(x); is {
			if !slices.Contains(vars, v) {
				vars = append(vars, v)
			}
			return false
		}
		switch x.Kind() {
		case celast.IdentKind:
			all = all && slices.Contains(bound, x.AsIdent())
		case celast.CallKind:
			if x.AsCall().FunctionName() == "under" { // relative paths: also by where a part of the line runs
				all = all && !slices.ContainsFunc(x.AsCall().Args(), func(x celast.Expr) bool { return !e.rooted(x) })
			}
		}
		return true
	})
	return vars, all
}

// rooted reports whether an expression is known to be an absolute path, or to be no path.
func (e *evaluator) rooted(x celast.Expr) bool {
	value, known := e.value(x)
	if v, is := e.variable(x); is {
		if value, known = e.known(v); !known {
			return true // it counts as not known anyway
		}
	}
	s, isText := text(value)
	return known && (!isText || strings.HasPrefix(s, "/"))
}

// reads reports whether an expression reads one of some names.
func (e *evaluator) reads(x celast.Expr, names map[string]string) (found bool) {
	walk(x, nil, func(x celast.Expr, bound []string) bool {
		if x.Kind() == celast.IdentKind && !slices.Contains(bound, x.AsIdent()) {
			_, is := names[x.AsIdent()]
			found = found || is
		}
		return true
	})
	return found
}

// walk visits an expression and, where visit says so, all in it. bound are the names that
// all, exists, map and the like have bound there.
func walk(x celast.Expr, bound []string, visit func(x celast.Expr, bound []string) bool) {
	if !visit(x, bound) {
		return
	}
	switch x.Kind() {
	case celast.SelectKind:
		walk(x.AsSelect().Operand(), bound, visit)
	case celast.ListKind:
		for _, each := range x.AsList().Elements() {
			walk(each, bound, visit)
		}
	case celast.MapKind:
		for _, entry := range x.AsMap().Entries() {
			walk(entry.AsMapEntry().Key(), bound, visit)
			walk(entry.AsMapEntry().Value(), bound, visit)
		}
	case celast.CallKind:
		call, inner := x.AsCall(), bound
		if call.IsMemberFunction() {
			walk(call.Target(), bound, visit)
			if len(call.Args()) > 1 && call.Args()[0].Kind() == celast.IdentKind && slices.Contains(binders, call.FunctionName()) {
				inner = append(slices.Clone(bound), call.Args()[0].AsIdent())
			}
		}
		for _, arg := range call.Args() {
			walk(arg, inner, visit)
		}
	}
}

// binders are the macros that bind the name of their first argument.
var binders = []string{operators.All, operators.Exists, operators.ExistsOne, operators.Map, operators.Filter, "existsOne"}

// made is what stands in an example for a text that may be any.
const made = "example"

// maxTried bounds how many values of a variable are tried for one expression.
const maxTried = 6

// suggest gives values of a variable, which is tells, that an expression is about.
func suggest(x celast.Expr, is func(celast.Expr) bool) (values []string) {
	add := func(list ...string) {
		for _, value := range list {
			if !slices.Contains(values, value) && len(values) < maxTried {
				values = append(values, value)
			}
		}
	}
	var texts []string
	line := false
	walk(x, nil, func(x celast.Expr, _ []string) bool {
		if x.Kind() == celast.LiteralKind {
			value, ok := literal(x)
			if s, isText := text(value); ok && isText {
				texts = append(texts, s)
			}
			return true
		}
		if x.Kind() != celast.CallKind {
			return true
		}
		call := x.AsCall()
		operands := slices.Clone(call.Args())
		if call.IsMemberFunction() {
			operands = append([]celast.Expr{call.Target()}, operands...)
		}
		line = line || call.FunctionName() == "shell" && len(operands) == 1 && is(operands[0])
		if len(operands) == 2 && is(operands[0]) && operands[1].Kind() == celast.LiteralKind {
			value, _ := literal(operands[1])
			add(fitting(call.FunctionName(), value)...)
		}
		return true
	})
	for _, s := range texts {
		add(quote(s))
	}
	if line && len(texts) > 1 {
		add(quote(joined(texts)), quote(strings.Join(texts, " ")))
	}
	add(quote(made))
	return values
}

// joined is a line that runs several commands.
func joined(commands []string) string { return strings.Join(commands, " && ") }

// fitting gives values that are likely to satisfy a function of a variable and a constant.
func fitting(function, constant string) (values []string) {
	s, isText := text(constant)
	switch function {
	case "startsWith":
		return []string{quote(s + made), quote(s)}
	case "endsWith":
		return []string{quote(made + s), quote(s)}
	case "contains":
		return []string{quote(s)}
	case "matches":
		if re, err := syntax.Parse(s, syntax.Perl); err == nil {
			return []string{quote(sample(re.Simplify()))}
		}
	case "under":
		return []string{quote(strings.TrimRight(s, "/") + "/" + made)}
	case operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals:
		n, err := strconv.ParseInt(constant, 10, 64)
		if !isText && err == nil {
			return []string{constant, strconv.FormatInt(n-1, 10), strconv.FormatInt(n+1, 10)}
		}
	}
	return nil
}

// sample is a text that a regular expression is likely to match.
func sample(re *syntax.Regexp) string {
	var b strings.Builder
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCharClass:
		for _, r := range "ax0/ " {
			for i := 0; i+1 < len(re.Rune); i += 2 {
				if r >= re.Rune[i] && r <= re.Rune[i+1] {
					return string(r)
				}
			}
		}
		if len(re.Rune) > 0 {
			return string(re.Rune[0])
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "x"
	case syntax.OpCapture, syntax.OpPlus:
		return sample(re.Sub[0])
	case syntax.OpAlternate:
		return sample(re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			b.WriteString(sample(sub))
		}
	}
	return b.String()
}
