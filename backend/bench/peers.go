package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/casbin/casbin/v2"
	"github.com/casbin/casbin/v2/model"
	"github.com/cedar-policy/cedar-go"
	"github.com/cedar-policy/cedar-go/types"
	"github.com/open-policy-agent/opa/v1/rego"

	"sekisho/backend/permission"
)

// cedarEngine writes each rule as a policy. Cedar denies where nothing permits; a
// forbid that decided is in the reasons, and tells deny from ask.
func cedarEngine(list []shape) (engine, error) {
	e := engine{name: "cedar-go", batch: 4}
	var text strings.Builder
	for _, s := range list {
		verb := "permit"
		if s.deny {
			verb = "forbid"
		}
		var when []string
		if s.server != "" {
			when = append(when, fmt.Sprintf("context.server == %q", s.server))
		}
		if s.name != "" {
			when = append(when, fmt.Sprintf("context.tool == %q", s.name))
		} else {
			when = append(when, fmt.Sprintf("context.tool like %q", s.text()))
		}
		fmt.Fprintf(&text, "%s (principal, action, resource) when { %s };\n", verb, strings.Join(when, " && "))
	}
	set, err := cedar.NewPolicySetFromBytes("rules.cedar", []byte(text.String()))
	if err != nil {
		return e, err
	}
	agent, call, desk := cedar.NewEntityUID("Agent", "a"), cedar.NewEntityUID("Action", "call"), cedar.NewEntityUID("Desk", "d")
	e.answer = func(server, tool string) (permission.Effect, error) {
		decision, why := cedar.Authorize(set, types.EntityMap{}, cedar.Request{Principal: agent, Action: call, Resource: desk,
			Context: cedar.NewRecord(cedar.RecordMap{"server": cedar.String(server), "tool": cedar.String(tool)})})
		switch {
		case len(why.Errors) > 0:
			return "", fmt.Errorf("%v", why.Errors)
		case decision == cedar.Allow:
			return permission.Allow, nil
		case len(why.Reasons) > 0:
			return permission.Deny, nil
		}
		return permission.Ask, nil
	}
	return e, nil
}

// opa writes each rule as one of Rego, so that OPA's own index of equalities works,
// and prepares the query.
func opa(ctx context.Context, list []shape) (engine, error) {
	e := engine{name: "OPA, prepared query", batch: 1}
	var text strings.Builder
	text.WriteString("package rules\n\ndefault decision := \"ask\"\n\ndecision := \"deny\" if deny\nelse := \"allow\" if allow\n\n")
	for _, s := range list {
		fmt.Fprintf(&text, "%s if {\n", s.effect())
		if s.server != "" {
			fmt.Fprintf(&text, "\tinput.server == %q\n", s.server)
		}
		switch {
		case s.name != "":
			fmt.Fprintf(&text, "\tinput.tool == %q\n", s.name)
		case s.prefix != "":
			fmt.Fprintf(&text, "\tstartswith(input.tool, %q)\n", s.prefix)
		default:
			fmt.Fprintf(&text, "\tendswith(input.tool, %q)\n", s.tail)
		}
		text.WriteString("}\n\n")
	}
	query, err := rego.New(rego.Query("data.rules.decision"), rego.Module("rules.rego", text.String())).PrepareForEval(ctx)
	if err != nil {
		return e, err
	}
	e.answer = func(server, tool string) (permission.Effect, error) {
		result, err := query.Eval(ctx, rego.EvalInput(map[string]any{"server": server, "tool": tool}))
		if err != nil || len(result) != 1 || len(result[0].Expressions) != 1 {
			return "", fmt.Errorf("%v %w", result, err)
		}
		text, _ := result[0].Expressions[0].Value.(string)
		return permission.Effect(text), nil
	}
	return e, nil
}

const casbinModel = `
[request_definition]
r = server, tool

[policy_definition]
p = server, tool, eft

[policy_effect]
e = some(where (p.eft == allow)) && !some(where (p.eft == deny))

[matchers]
m = (p.server == "" || p.server == r.server) && globMatch(r.tool, p.tool)
`

// casbinEngine writes each rule as a line of policy. Casbin says allowed or not.
func casbinEngine(list []shape) (engine, error) {
	e := engine{name: "casbin (allowed or not)", twoWay: true, batch: 1}
	m, err := model.NewModelFromString(casbinModel)
	if err != nil {
		return e, err
	}
	enforcer, err := casbin.NewEnforcer(m)
	if err != nil {
		return e, err
	}
	for _, s := range list {
		if _, err := enforcer.AddPolicy(s.server, s.name+s.text(), string(s.effect())); err != nil {
			return e, err
		}
	}
	e.answer = func(server, tool string) (permission.Effect, error) {
		ok, err := enforcer.Enforce(server, tool)
		if ok {
			return permission.Allow, err
		}
		return permission.Ask, err
	}
	return e, nil
}
