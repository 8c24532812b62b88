package policy

import (
	"slices"
	"strings"

	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
)

// use is what a condition does with the line of a call, as its text says whatever the call.
type use struct {
	reads  bool     // it looks at a member that a line stands in, or at the input as a whole
	writes bool     // it looks at the files that a line writes
	fixes  []string // the members of the input that it is true for constants of alone
}

// fixed reports whether a condition is true for constants alone in each of some members.
func (u use) fixed(members ...string) bool {
	return len(members) > 0 && !slices.ContainsFunc(members, func(m string) bool { return !slices.Contains(u.fixes, m) })
}

// isLineMember reports whether a line, or some of it, may stand in a member of an input.
func isLineMember(name string) bool {
	return name == "args" || strings.EqualFold(name, "command") || strings.EqualFold(name, "cmd")
}

func useOf(e celast.Expr) use {
	u := use{fixes: fixedIn(e)}
	u.look(e)
	return u
}

// look finds out what an expression and all in it reads.
func (u *use) look(e celast.Expr) {
	if operand, name, is := memberOf(e); is {
		if isIdent(operand, "input") {
			u.reads = u.reads || isLineMember(name)
			return
		}
		u.writes = u.writes || name == "writes"
	}
	switch e.Kind() {
	case celast.IdentKind:
		u.reads = u.reads || e.AsIdent() == "input"
	case celast.SelectKind:
		u.look(e.AsSelect().Operand())
	case celast.CallKind:
		if e.AsCall().IsMemberFunction() {
			u.look(e.AsCall().Target())
		}
		u.lookAll(e.AsCall().Args())
	case celast.ListKind:
		u.lookAll(e.AsList().Elements())
	case celast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			u.lookAll([]celast.Expr{entry.AsMapEntry().Key(), entry.AsMapEntry().Value()})
		}
	case celast.StructKind:
		for _, field := range e.AsStruct().Fields() {
			u.look(field.AsStructField().Value())
		}
	case celast.ComprehensionKind:
		c := e.AsComprehension()
		u.lookAll([]celast.Expr{c.IterRange(), c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()})
	}
}

func (u *use) lookAll(list []celast.Expr) {
	for _, e := range list {
		u.look(e)
	}
}

// memberOf takes x.name and x["name"] apart.
func memberOf(e celast.Expr) (operand celast.Expr, name string, is bool) {
	switch e.Kind() {
	case celast.SelectKind:
		return e.AsSelect().Operand(), e.AsSelect().FieldName(), true
	case celast.CallKind:
		call := e.AsCall()
		if call.FunctionName() == operators.Index && call.Args()[1].Kind() == celast.LiteralKind {
			text, is := call.Args()[1].AsLiteral().(types.String)
			return call.Args()[0], string(text), is
		}
	}
	return nil, "", false
}

func isIdent(e celast.Expr, name string) bool {
	return e.Kind() == celast.IdentKind && e.AsIdent() == name
}

// fixedIn gives the members of the input that an expression is true for constants of alone.
func fixedIn(e celast.Expr) []string {
	if e.Kind() != celast.CallKind {
		return nil
	}
	args := e.AsCall().Args()
	switch e.AsCall().FunctionName() {
	case operators.LogicalAnd:
		return append(fixedIn(args[0]), fixedIn(args[1])...)
	case operators.LogicalOr:
		other := fixedIn(args[1])
		return slices.DeleteFunc(fixedIn(args[0]), func(m string) bool { return !slices.Contains(other, m) })
	case operators.Equals:
		return append(equals(args[0], args[1]), equals(args[1], args[0])...)
	case operators.In, operators.OldIn:
		return equals(args[0], args[1])
	}
	return nil
}

// equals gives the member of the input that an expression is, where the other is constant.
func equals(e, other celast.Expr) []string {
	if operand, name, is := memberOf(e); is && isIdent(operand, "input") && isConstant(other) {
		return []string{name}
	}
	return nil
}

// isConstant reports whether an expression is a literal, or a list of such.
func isConstant(e celast.Expr) bool {
	switch e.Kind() {
	case celast.LiteralKind:
		return true
	case celast.ListKind:
		return !slices.ContainsFunc(e.AsList().Elements(), func(e celast.Expr) bool { return !isConstant(e) })
	}
	return false
}
