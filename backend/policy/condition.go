package policy

import (
	"fmt"
	"math"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/env"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"sekisho/backend/permission"
)

// Work is counted in units of about 1 µs at worst: a step of the expression, or so much
// text that a function is given. What needs more has failed, so that neither a rule nor
// a hostile input can hold up the desk: a condition takes about 20 ms at most, and all
// those of one decision about 0.2 s. After that, those that are left have failed.
const (
	maxConditionWork = 10_000
	maxWorkOfAll     = 200_000
	bytesForUnit     = 1024
	bytesForShell    = 16 // of a line that is taken apart
	stepsForUnit     = 64 // of a regular expression
	maxNesting       = 32 // of an expression; CEL takes long to check deep ones
	maxFailure       = 200
)

// CheckRule says what permission.Rule.Valid cannot know, since it knows no CEL: that
// the condition of a rule compiles and gives true or false.
func CheckRule(r *permission.Rule) error {
	if r.Condition == nil {
		return nil
	}
	if _, err := compileCondition(*r.Condition); err != nil {
		return permission.Invalid("condition", permission.FieldConditionBad, cut(err.Error())).With(permission.Param("error", cut(err.Error())))
	}
	return nil
}

// condition is the CEL expression of a rule. It is compiled once, when first asked for:
// many rules are never reached, and a program is large.
type condition struct {
	program func() (program, error)
}

// program is a compiled condition, and what it does with a line.
type program struct {
	cel.Program
	use
}

func newCondition(source string) *condition {
	return &condition{program: sync.OnceValues(func() (program, error) { return compileCondition(source) })}
}

// recovered takes a panic of a compiler as its error.
func recovered(compile func() (program, error)) (p program, err error) {
	defer func() {
		if r := recover(); r != nil {
			p, err = program{}, fmt.Errorf("compile: %v", r)
		}
	}()
	return compile()
}

// use is what a condition does with the line of a call. One that does not compile is the
// same for every line.
func (c *condition) use() use {
	if c == nil {
		return use{}
	}
	p, _ := c.program()
	return p.use
}

func compileCondition(source string) (program, error) {
	return recovered(func() (program, error) { return compile(source) })
}

func compile(source string) (p program, err error) {
	lang, err := language()
	if err != nil {
		return p, fmt.Errorf("make the language: %w", err)
	}
	ast, issues := lang.Compile(source)
	if issues.Err() != nil {
		first := issues.Errors()[0]
		return p, fmt.Errorf("line %d, column %d: %s", first.Location.Line(), first.Location.Column()+1, first.Message)
	}
	if t := ast.OutputType(); !t.IsExactType(cel.BoolType) && !t.IsExactType(cel.DynType) {
		return p, fmt.Errorf("gives %s, not true or false", t)
	}
	celast.PreOrderVisit(ast.NativeRep().Expr(), celast.NewExprVisitor(func(e celast.Expr) {
		if e.Kind() == celast.MapKind && e.AsMap().Size() > 1 {
			err = fmt.Errorf("a map of several entries has no order: compare its entries")
		}
	}))
	if err != nil {
		return p, err
	}
	run, err := lang.Program(ast, cel.CostLimit(maxConditionWork), cel.CostTracking(scales{}))
	return program{run, useOf(ast.NativeRep().Expr())}, err
}

// language is the CEL that conditions are written in: the standard one without what
// reads the time zones of this machine, so that the same question has the same answer
// everywhere.
var language = sync.OnceValues(func() (*cel.Env, error) {
	texts := []*cel.Type{cel.StringType, cel.StringType}
	return cel.NewCustomEnv(append(lineFunctions(),
		cel.StdLib(cel.StdLibSubset(&env.LibrarySubset{ExcludeFunctions: []*env.Function{
			{Name: overloads.Matches}, {Name: overloads.TimeGetFullYear}, {Name: overloads.TimeGetMonth},
			{Name: overloads.TimeGetDayOfYear}, {Name: overloads.TimeGetDayOfMonth}, {Name: overloads.TimeGetDate},
			{Name: overloads.TimeGetDayOfWeek}, {Name: overloads.TimeGetHours}, {Name: overloads.TimeGetMinutes},
			{Name: overloads.TimeGetSeconds}, {Name: overloads.TimeGetMilliseconds},
		}})),
		cel.Function(overloads.Matches, cel.Overload(overloads.Matches, texts, cel.BoolType),
			cel.MemberOverload(overloads.MatchesString, texts, cel.BoolType), cel.SingletonBinaryBinding(match)),
		cel.CrossTypeNumericComparisons(true),
		cel.ParserRecursionLimit(maxNesting),
		cel.Variable("input", cel.DynType),
		cel.Variable("envelope", cel.DynType),
		cel.Variable("serverId", cel.DynType),
		cel.Variable("method", cel.StringType),
		cel.Variable("toolName", cel.StringType),
		cel.Variable("sessionId", cel.StringType),
		cel.Variable("session", cel.MapType(cel.StringType, cel.StringType)),
		cel.Variable("agent", cel.MapType(cel.StringType, cel.DynType)),
		cel.Variable("cwd", cel.DynType),
		cel.Variable("risk", cel.StringType),
	)...)
})

func spent(details *cel.EvalDetails) uint64 {
	if details != nil {
		if cost := details.ActualCost(); cost != nil {
			return *cost
		}
	}
	return maxConditionWork
}

// cut shortens what CEL says, which may quote the input.
func cut(s string) string {
	if len(s) > maxFailure {
		s = s[:maxFailure] + "…"
	}
	return strings.ToValidUTF8(strings.Join(strings.Fields(s), " "), "")
}

// scales weigh the calls of functions, for CEL's own count takes the length of a text or
// the size of a nested value for nothing in some of them.
type scales struct{}

// CallCost is what a call costs by its arguments.
func (scales) CallCost(function, _ string, args []ref.Val, _ ref.Val) *uint64 {
	cost := uint64(1)
	switch function {
	case overloads.Matches:
		text, isText := args[0].(types.String)
		expression, isExpression := args[1].(types.String)
		if isText && isExpression {
			cost += regexpWork(text, expression) / stepsForUnit
		}
	case operators.Equals, operators.NotEquals:
		a, aText := args[0].(types.String)
		b, bText := args[1].(types.String)
		if aText && bText { // of one length, or told apart by it
			cost += uint64(min(len(a), len(b)) / bytesForUnit)
			break
		}
		fallthrough
	case operators.In, operators.OldIn:
		for _, arg := range args {
			cost += weigh(arg, maxConditionWork)
		}
	case shellFunction, sqlFunction:
		text, _ := args[0].(types.String)
		cost += uint64(len(text) / bytesForShell)
	default:
		for _, arg := range args {
			cost += weighText(arg)
		}
	}
	return &cost
}

func weighText(v ref.Val) uint64 {
	switch v := v.(type) {
	case types.String:
		return uint64(len(v) / bytesForUnit)
	case types.Bytes:
		return uint64(len(v) / bytesForUnit)
	}
	return 0
}

// weigh is the work of going through all of a value, and does not go on over limit.
func weigh(v ref.Val, limit uint64) uint64 {
	sum := 1 + weighText(v)
	list, ok := v.(traits.Iterable)
	if !ok {
		return sum
	}
	m, isMap := v.(traits.Mapper)
	for it := list.Iterator(); sum < limit && it.HasNext() == types.True; {
		next := it.Next()
		sum += weigh(next, limit-sum)
		if isMap && sum < limit {
			sum += weigh(m.Get(next), limit-sum)
		}
	}
	return sum
}

// match is the function matches, bounded before it runs.
func match(text, expression ref.Val) ref.Val {
	t, isText := text.(types.String)
	e, isExpression := expression.(types.String)
	if !isText || !isExpression {
		return types.MaybeNoSuchOverloadErr(text)
	}
	if regexpWork(t, e) > maxConditionWork*stepsForUnit {
		return types.NewErr("matches: too much work for a text of this length")
	}
	re, err := regexp.Compile(string(e))
	if err != nil {
		return types.NewErr("%v", err)
	}
	return types.Bool(re.MatchString(string(t)))
}

// regexpWork bounds the steps of matching a text with an expression; compiling it counts
// as some more bytes of text. What is no expression costs nothing.
func regexpWork(text, expression types.String) uint64 {
	if len(expression) > permission.MaxConditionBytes {
		return math.MaxInt64
	}
	parsed, err := syntax.Parse(string(expression), syntax.Perl)
	if err != nil {
		return 0
	}
	return uint64(states(parsed)) * uint64(len(text)+64)
}

// states is about how many states the machine for an expression has. The parser lets no
// nested repetitions of more than 1,000 through.
func states(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		n += states(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Max, re.Min, 1)
	}
	return n
}
