package policy

import (
	"fmt"
	"slices"
	"sync"

	"github.com/google/cel-go/cel"
	celast "github.com/google/cel-go/common/ast"

	"sekisho/backend/permission"
)

// Expression is the condition of a rule for whom asks about all calls that it may be true
// of, and not about one.
type Expression struct {
	// Tree is the condition as it is written: its macros, as all and has, are plain calls.
	Tree *celast.AST
	use
	condition *condition
}

// plainLanguage parses conditions and leaves their macros as they are.
var plainLanguage = sync.OnceValues(func() (*cel.Env, error) { return cel.NewCustomEnv(cel.ParserRecursionLimit(maxNesting)) })

// Express reads a condition. It fails where a rule with the condition is no good one.
func Express(source string) (*Expression, error) {
	c := newCondition(source)
	compiled, err := c.program()
	if err != nil {
		return nil, err
	}
	lang, err := plainLanguage()
	if err != nil {
		return nil, fmt.Errorf("make the language: %w", err)
	}
	parsed, issues := lang.Parse(source)
	if issues.Err() != nil {
		return nil, issues.Err()
	}
	return &Expression{Tree: parsed.NativeRep(), use: compiled.use, condition: c}, nil
}

// Holds evaluates the condition for a call as it is, whatever parts its line has.
func (e *Expression) Holds(c Call) (bool, error) {
	q := question{Call: c, lines: newLines()}
	return q.evaluate(e.condition)
}

// AsFree reports whether an allow rule with the condition e is kept from no part of a line
// that one with the condition other may allow (see judgement.bar). nil is no condition.
func (e *Expression) AsFree(other *Expression) bool {
	if !e.ReadsLine() {
		return true
	}
	return other.ReadsLine() && (e.writes || !other.writes) &&
		!slices.ContainsFunc(other.fixes, func(member string) bool {
			return isLineMember(member) && !slices.Contains(e.fixes, member)
		})
}

// ReadsLine reports whether the condition looks at the line of a call.
func (e *Expression) ReadsLine() bool { return e != nil && e.reads }

// BadNames says what is wrong with the names of a call, so that no rule allows it, or nil.
func BadNames(c Call) *permission.Explanation { return nameIssue(c) }
