package reach

import (
	"slices"

	"github.com/google/cel-go/cel"
	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"

	"sekisho/backend/permission"
)

// outcome is a set of what an expression may come to.
type outcome uint8

const (
	isTrue outcome = 1 << iota
	isFalse
	fails // CEL's error

	unknown = isTrue | isFalse | fails
)

func (o outcome) may(other outcome) bool { return o&other != 0 }

// only reports whether the outcome is certain.
func (o outcome) only() bool { return o&(o-1) == 0 }

// evaluator evaluates the condition of one rule over a state. What it cannot tell, it offers
// to tell apart: the branches of the first choice are the state again.
type evaluator struct {
	*state
	id     permission.RuleID
	source *celast.SourceInfo
	ask    func(s *state, part string) outcome // evaluates a part of the condition for a call of a state
	bound  map[string]string                   // variables of all and exists
	choice []step
	guard  bool // a condition that had better be false: branches come in that order
}

// offer offers branches, unless others are offered already.
func (e *evaluator) offer(branches ...step) {
	if e.choice == nil {
		e.choice = branches
	}
}

// settled evaluates and takes back what was offered where the outcome is certain.
func (e *evaluator) settled(evaluate func() outcome) outcome {
	before := e.choice
	o := evaluate()
	if o.only() {
		e.choice = before
	}
	return o
}

func (e *evaluator) eval(x celast.Expr) outcome {
	return e.settled(func() outcome {
		if v, ok := e.variable(x); ok {
			return e.flag(v)
		}
		switch x.Kind() {
		case celast.LiteralKind:
			switch value, _ := e.value(x); value {
			case "true":
				return isTrue
			case "false":
				return isFalse
			}
		case celast.CallKind:
			return e.call(x)
		}
		return e.atom(x)
	})
}

func (e *evaluator) call(x celast.Expr) outcome {
	args := x.AsCall().Args()
	switch x.AsCall().FunctionName() {
	case operators.LogicalNot:
		return not(e.eval(args[0]))
	case operators.LogicalAnd:
		return and(e.eval(args[0]), e.eval(args[1]))
	case operators.LogicalOr:
		return not(and(not(e.eval(args[0])), not(e.eval(args[1]))))
	case operators.Conditional:
		return e.either(args)
	case operators.Equals:
		return e.equal(x, args)
	case operators.NotEquals:
		return not(e.equal(x, args))
	case operators.In, operators.OldIn:
		return e.in(x, args)
	case operators.Has:
		if v, ok := e.variable(args[0]); ok && len(args) == 1 && mayLack(v) {
			return e.there(v)
		}
	case operators.All, operators.Exists:
		if len(args) == 2 && args[0].Kind() == celast.IdentKind {
			return e.quantify(x)
		}
	}
	return e.atom(x)
}

func not(o outcome) outcome {
	out := o & fails
	if o.may(isTrue) {
		out |= isFalse
	}
	if o.may(isFalse) {
		out |= isTrue
	}
	return out
}

// and is CEL's: false if one is, whatever the other; else an error if one is.
func and(a, b outcome) (o outcome) {
	o = (a | b) & isFalse
	if a.may(isTrue) && b.may(isTrue) {
		o |= isTrue
	}
	if a.may(fails) && b.may(isTrue|fails) || b.may(fails) && a.may(isTrue|fails) {
		o |= fails
	}
	return o
}

func (e *evaluator) either(args []celast.Expr) (o outcome) {
	condition := e.eval(args[0])
	o = condition & fails
	if condition.may(isTrue) {
		o |= e.eval(args[1])
	}
	if condition.may(isFalse) {
		o |= e.eval(args[2])
	}
	return o
}

// flag is a variable as a condition.
func (e *evaluator) flag(v string) outcome {
	value, known := e.known(v)
	switch {
	case known && value == "true":
		return isTrue
	case known && value == "false":
		return isFalse
	case known:
		return fails
	}
	o := e.split(v, []string{"true", "false"})
	if o.may(isFalse) { // any other value is no truth value
		o |= fails
	}
	if !e.may(v, "false") {
		o &^= isFalse
	}
	return o
}

// split says whether a variable that is not known has one of some values, and offers to tell.
func (e *evaluator) split(v string, values []string) outcome {
	var some []string
	for _, value := range values {
		if e.may(v, value) && !slices.Contains(some, value) {
			some = append(some, value)
		}
	}
	o, excluded := isFalse, slices.Clone(some)
	if len(some) > 0 {
		o |= isTrue
	}
	if e.may(v, absent) {
		o, excluded = o|fails, append(excluded, absent)
	}
	if len(excluded) == 0 {
		return o
	}
	var branches []step
	for _, value := range excluded {
		branches = append(branches, step{v: v, is: &value})
	}
	other := step{v: v, not: excluded}
	if e.guard {
		e.offer(append([]step{other}, branches...)...)
	} else {
		e.offer(append(branches, other)...)
	}
	return o
}

func (e *evaluator) equal(x celast.Expr, args []celast.Expr) outcome {
	a, b := args[0], args[1]
	if _, is := e.variable(a); !is {
		a, b = b, a
	}
	value, constant := e.value(b)
	if v, is := e.variable(a); is && constant {
		return e.oneOf(v, []string{value})
	}
	if other, constant2 := e.value(a); constant && constant2 {
		return truth(other == value)
	}
	return e.atom(x)
}

func truth(is bool) outcome {
	if is {
		return isTrue
	}
	return isFalse
}

// oneOf says whether a variable has one of some values.
func (e *evaluator) oneOf(v string, values []string) outcome {
	known, is := e.known(v)
	switch {
	case is && known == absent:
		return fails
	case is:
		return truth(slices.Contains(values, known))
	}
	return e.split(v, values)
}

func (e *evaluator) in(x celast.Expr, args []celast.Expr) outcome {
	if args[1].Kind() == celast.ListKind {
		values, constant := e.values(args[1])
		if v, is := e.variable(args[0]); is && constant {
			return e.oneOf(v, values)
		}
		if value, is := e.value(args[0]); is && constant {
			return truth(slices.Contains(values, value))
		}
	}
	if name, is := e.value(args[0]); is && e.isNames(args[1]) && slices.ContainsFunc(e.names, func(n string) bool { return quote(n) == name }) {
		return isTrue
	}
	return e.atom(x)
}

// there says whether a member is there. In an input that is no object no member is, and to
// ask is an error.
func (e *evaluator) there(v string) outcome {
	value, known := e.known(v)
	switch {
	case known && value == absent:
		return isFalse | fails
	case known || !e.may(v, absent):
		return isTrue
	}
	none := absent
	branches := []step{{v: v, not: []string{absent}}, {v: v, is: &none}}
	if e.guard {
		slices.Reverse(branches)
	}
	e.offer(branches...)
	return unknown
}

// quantify evaluates all and exists over what is known of a list.
func (e *evaluator) quantify(x celast.Expr) outcome {
	call := x.AsCall()
	over, name, all := call.Target(), call.Args()[0].AsIdent(), call.FunctionName() == operators.All
	list, whole := []string(nil), false
	switch {
	case e.isNames(over):
		for _, n := range e.names {
			list = append(list, quote(n))
		}
	case over.Kind() == celast.ListKind:
		list, whole = e.values(over)
	}
	o := isTrue
	for _, value := range list {
		inner := *e
		inner.bound, inner.choice = clone(e.bound), nil
		inner.bound[name] = value
		each := inner.eval(call.Args()[1])
		if !all {
			each = not(each)
		}
		if o = and(o, each); e.choice == nil {
			e.choice = inner.choice
		}
	}
	if !whole && o != isFalse { // elements that are not known may fail or settle it
		return e.settled(func() outcome { return e.atom(x) })
	}
	if !all {
		o = not(o)
	}
	return o
}

// isNames reports whether an expression is the names of the line whose names are known.
func (e *evaluator) isNames(x celast.Expr) bool {
	if e.line == "" || x.Kind() != celast.SelectKind || x.AsSelect().FieldName() != "names" {
		return false
	}
	shell := x.AsSelect().Operand()
	if shell.Kind() != celast.CallKind || shell.AsCall().FunctionName() != "shell" || len(shell.AsCall().Args()) != 1 {
		return false
	}
	v, is := e.variable(shell.AsCall().Args()[0])
	return is && v == e.line
}

// atom is an expression that is not understood. Where all that it reads is known it is
// evaluated as for a call; else values are tried, and at last either outcome.
func (e *evaluator) atom(x celast.Expr) outcome {
	if e.reads(x, e.bound) {
		return unknown // of a variable that all or exists binds
	}
	source, err := cel.ExprToString(x, e.source)
	if err != nil {
		return unknown
	}
	vars, all := e.variables(x)
	if all && !slices.ContainsFunc(vars, func(v string) bool { _, known := e.known(v); return !known }) {
		return e.ask(e.state, source)
	}
	if o, assumed := e.atoms[source]; assumed {
		return o
	}
	for _, v := range vars {
		if _, known := e.known(v); known {
			continue
		}
		if values := e.untried(v, suggest(x, func(x celast.Expr) bool { w, is := e.variable(x); return is && w == v })); len(values) > 0 {
			e.split(v, values)
			return unknown
		}
	}
	doubt := doubt{e.id, source}
	outcomes := []outcome{isTrue, isFalse, fails}
	if e.guard {
		outcomes = []outcome{isFalse, isTrue, fails}
	}
	var branches []step
	for _, o := range outcomes {
		branches = append(branches, step{atom: source, value: o, doubt: doubt})
	}
	e.offer(branches...)
	return unknown
}

// untried are the values that a variable may have, as far as they may be tried.
func (e *evaluator) untried(v string, values []string) []string {
	if v == e.line && e.names != nil {
		values = []string{quote(joined(e.names)), quote(e.text)}
	}
	return slices.DeleteFunc(values, func(value string) bool { return !e.may(v, value) })
}
