package policy_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rulestest"
)

// faulty is a program that does what it is told to.
type faulty func() (ref.Val, *cel.EvalDetails, error)

func (f faulty) Eval(any) (ref.Val, *cel.EvalDetails, error)                         { return f() }
func (f faulty) ContextEval(context.Context, any) (ref.Val, *cel.EvalDetails, error) { return f() }
func (f faulty) ConcurrentEval(context.Context, any) <-chan cel.EvalResult           { return nil }

// TestFaultsOfConditions: whatever breaks in a condition, an allow rule does not apply,
// and an ask or deny rule does.
func TestFaultsOfConditions(t *testing.T) {
	runs := func(f faulty) func() (cel.Program, error) { return func() (cel.Program, error) { return f, nil } }
	for name, program := range map[string]func() (cel.Program, error){
		"does not compile": func() (cel.Program, error) { return nil, errors.New("broken") },
		"no program":       func() (cel.Program, error) { return nil, nil },
		"compiler panics":  func() (cel.Program, error) { panic("broken") },
		"panics":           runs(func() (ref.Val, *cel.EvalDetails, error) { panic("broken") }),
		"panics with nil":  runs(func() (ref.Val, *cel.EvalDetails, error) { panic(nil) }),
		"error":            runs(func() (ref.Val, *cel.EvalDetails, error) { return nil, nil, errors.New("broken") }),
		"error and true":   runs(func() (ref.Val, *cel.EvalDetails, error) { return types.True, nil, errors.New("broken") }),
		"nothing":          runs(func() (ref.Val, *cel.EvalDetails, error) { return nil, nil, nil }),
		"a text":           runs(func() (ref.Val, *cel.EvalDetails, error) { return types.String("true"), nil, nil }),
		"an error value":   runs(func() (ref.Val, *cel.EvalDetails, error) { return types.NewErr("broken"), nil, nil }),
		"unknown":          runs(func() (ref.Val, *cel.EvalDetails, error) { return types.NewUnknown(1, nil), nil, nil }),
	} {
		for effect, want := range map[permission.Effect]permission.Effect{permission.Allow: permission.Ask, permission.Ask: permission.Ask,
			permission.Deny: permission.Deny} {
			s := policy.Compile([]permission.Rule{conditioned(effect, "true")}, 0)
			s.Replace(program)
			for range 4 {
				d := s.Decide(policy.Call{ToolName: "x"}, rulestest.Now)
				if d.Effect != want || (d.Rule == nil) != (effect == permission.Allow) {
					t.Errorf("%s, %s: %+v", name, effect, d)
				}
				checkTrace(t, s, policy.Call{ToolName: "x"}, rulestest.Now, d)
			}
		}
	}
}
