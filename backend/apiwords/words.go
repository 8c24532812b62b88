// Package apiwords describes the closed words and the fields of the REST API for its OpenAPI
// document. The words themselves are of rooms that know nothing of documents.
package apiwords

import (
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"sekisho/backend/coordination"
	"sekisho/backend/insights"
	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

// reason is how a permission.ReasonCode looks in the document.
type reason struct{}

// Schema is one of the codes, or null.
func (reason) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{AnyOf: []*huma.Schema{restwire.WordOf[permission.ReasonCode](), {Type: "null"}},
		Description: "the reason for a program; null: the reason is in a person's own words"}
}

// params is how permission.Params look in the document.
type params struct{}

// Schema is an object of texts, whole numbers and truth values.
func (params) Schema(huma.Registry) *huma.Schema {
	return restwire.RefTo("Params")
}

// Vocabulary describes all closed sets of words, and with them some codes of a door's own.
func Vocabulary(own ...permission.Code) func(huma.Registry) {
	return func(r huma.Registry) { vocabulary(r, own) }
}

func vocabulary(r huma.Registry, own []permission.Code) {
	restwire.Closed(r, permission.Statuses[:])
	restwire.Closed(r, permission.Risks[:])
	restwire.Closed(r, permission.RiskCodes)
	restwire.Closed(r, permission.Effects[:])
	restwire.Closed(r, permission.Deciders[:])
	restwire.Closed(r, permission.Scopes[:])
	restwire.Closed(r, permission.EntryKinds[:])
	restwire.Closed(r, permission.FindingKinds[:])
	restwire.Closed(r, permission.FindingCodes[:])
	restwire.Closed(r, permission.ReachAnswers[:])
	restwire.Closed(r, permission.ReachCodes[:])
	restwire.Closed(r, permission.FileStates[:])
	restwire.Closed(r, permission.LineKinds[:])
	restwire.Closed(r, append(permission.Endings[:], ""))
	restwire.Closed(r, permission.PieceKinds[:])
	restwire.Closed(r, permission.SummaryCodes[:])
	restwire.Closed(r, permission.PartEffects[:])
	restwire.Closed(r, permission.ServerTransports[:])
	restwire.Closed(r, permission.Executions[:])
	restwire.Closed(r, permission.ConfinementLevels[:])
	restwire.Closed(r, permission.ServerStates[:])
	restwire.Closed(r, permission.SignInStates[:])
	restwire.Closed(r, permission.SessionStates[:])
	restwire.Closed(r, permission.Roles[:])
	restwire.Closed(r, permission.Purposes[:])
	restwire.Closed(r, permission.ToolPermissionWords[:])
	restwire.Closed(r, permission.TextKinds[:])
	restwire.Closed(r, append(permission.ToolChanges[:], ""))
	restwire.Closed(r, slices.Concat(permission.Codes[:], restwire.Codes[:], own))
	restwire.Closed(r, permission.TraceCodes[:])
	restwire.Closed(r, insights.Signs[:])
	restwire.Closed(r, coordination.TaskStates[:])
	restwire.Closed(r, coordination.TaskResults[:])
	restwire.Closed(r, coordination.ConversationStates[:])
	restwire.Closed(r, permission.FieldCodes[:])
	restwire.Closed(r, permission.ReasonCodes[:])
	r.RegisterTypeAlias(reflect.TypeFor[permission.ReasonCode](), reflect.TypeFor[reason]())
	r.Map()["Params"] = &huma.Schema{Type: huma.TypeObject, Description: "what the words of a code name",
		AdditionalProperties: &huma.Schema{AnyOf: []*huma.Schema{{Type: huma.TypeString}, {Type: huma.TypeInteger}, {Type: huma.TypeBoolean}}}}
	r.RegisterTypeAlias(reflect.TypeFor[permission.Params](), reflect.TypeFor[params]())
}

// SchemaName is huma's, but for one type of permission whose name this door has
// given to what it takes in.
func SchemaName(t reflect.Type, hint string) string {
	if t == reflect.TypeFor[permission.RuleForm]() {
		return "SuggestedRule"
	}
	return huma.DefaultSchemaNamer(t, hint)
}

// Meanings say what the fields of answers about rules mean. The words themselves are of
// a room that knows nothing of documents.
func Meanings() map[string]map[string]string {
	return map[string]map[string]string{
		"Rule": {
			"id":          "letters, digits, dots, dashes and underscores, at most 64",
			"serverId":    "the server that it is about; null is any, and a call without one",
			"method":      "what of MCP it is about; null is tools/call, resources/read, resources/subscribe and prompts/get in a deny rule, and tools/call alone in an ask or allow rule",
			"toolName":    "the tool that it is about, byte for byte, or the URI or the prompt; null is any",
			"toolPattern": "of the whole tool name, whatever its letter case: * is any run of characters; null is any; not looked at when toolName is set",
			"autoApprove": "true exactly when effect is allow", "effect": "what becomes of the calls that it decides",
			"priority":  "higher goes first; of one priority deny, then ask, then allow, then the older",
			"condition": "CEL over input, envelope, serverId, method, toolName, sessionId, session (role, purpose, projectId), agent and cwd that must be true too; null is none",
			"enabled":   "false: it is passed over",
			"limit":     "of an allow rule: how many calls it allows in a sliding window, over all agents; beyond it the rule does not apply; null is none",
			"note":      "a person's words; the reason of a deny", "expiresAt": "when it ends and is passed over",
			"examples":  "calls, and what all rules together must decide of them",
			"createdAt": "when it was made; it orders rules of one priority and effect",
			"updatedAt": "when it was edited last; it rises with each edit, and is the ETag",
			"hits":      "calls that it decided so far; they do not touch updatedAt", "lastHitAt": "when it did so last",
		},
		"Example": {
			"serverId": "null is none", "method": "tools/call where it is left out", "toolName": "the call's tool",
			"input": "any JSON; left out, it is {}", "sessionId": "the call's session", "agentId": "who asks", "agentName": "who asks", "agentSubagent": "the kind of its helper; null is the agent itself",
			"cwd": "the call's folder", "decision": "what the rules must decide",
		},
		"RuleRef": {"id": "the rule", "priority": "its priority when it decided"},
		"Verdict": {
			"decision": "what would happen", "reason": "why, in English",
			"code": "why, for a program", "params": "of the code",
			"rule": "the rule that decides; null: none applies, or something else stands against it", "risk": "how careful to be",
			"riskReasons":  "why the risk is above low",
			"inputHash":    "sha256: and hexadecimal digits, over canonical JSON of server, tool and input",
			"envelopeHash": "the same over canonical JSON of the envelope; null where there is none", "policyVersion": "of the rules that judged",
			"parts": "the parts of the call's line, in order, as the rules judge them; none: the call has no line",
			"trace": "every rule in the order of judgement; one about the call of a line has a row for the whole line and one for each part",
		},
		"Session": {
			"id": "as its calls have it", "agentId": "whose it is; two agents may use one id", "agentName": "the agent's name at its last call",
			"client": "as it named itself when it connected; null where it is not connected", "cwd": "the folder of its last call that has one; null is none",
			"role": "null where the desk did not make the session", "purpose": "null where the desk did not make the session",
			"projectId": "null where the desk did not make the session", "state": "what it is at",
			"pending":   "how many of its calls wait for a person",
			"createdAt": "when it connected, or of the calls that were looked at the first", "lastSeenAt": "when it was last in use",
			"expiresAt": "when its token is void; null where the desk did not make the session, and until the agent has changed its passkey for the token",
		},
		"Agent": {
			"id": "the desk's own", "name": "as a person named it", "createdAt": "when it was made",
			"stoppedUntil": "until when its calls are declined; null: it is not stopped", "role": "coordinator where a person made it one",
			"userId": "whom it works for: which workspaces it sees follows from that; its own id where nobody was named",
		},
		"Canary": {"nonce": "to be put into the input of a call", "expiresAt": "when calls with it are judged as any others"},
		"PartVerdict": {"name": "its program and verb; empty where the shell computes them", "decision": "what the rules say of it",
			"rule": "the rule that decides about it; null: none applies, or it needs none"},
		"TraceStep": {"ruleId": "the rule", "part": "the number of the part of the line, from 0; null is the call, or its whole line",
			"applies": "it applies to the call; the first that does decides",
			"code":    "why it applies or not", "params": "of the code", "why": "the same in English"},
		"Finding": {
			"ruleId": "the rule that it is about, or its place where it has no id", "kind": "what is odd",
			"by":   "the other rule that it is about; null where there is none, or not one alone",
			"code": "the same in detail", "params": "of the code", "message": "in English",
		},
		"Preview": {
			"changed": "the newest past calls that would be decided otherwise, newest first", "changedTotal": "all of them",
			"counts":   "of these, how many go from one effect to another, as ask>allow",
			"declined": "of these, how many a person had declined", "total": "past calls that were judged",
			"unjudged":        "past calls that were not, since a condition would have to see an input that was wiped",
			"matched":         "past calls that the first rule of an edit applies to by itself",
			"matchedDeclined": "of these, how many a person had declined",
			"narrower":        "whether the rules would allow nothing that they did not allow before",
		},
		"Changed": {
			"callId": "the call", "createdAt": "when it came in", "serverId": "null: a tool of the agent's own", "toolName": "its tool",
			"before": "what the rules decide of it as they are", "after": "what they would decide",
			"declined": "a person declined it",
		},
		"RuleDiff": {
			"added": "rules that are new, as they are stored", "changed": "rules that change", "removed": "rules that go",
			"same":          "rules that stay as they are",
			"allows":        "ids to accept: new allow rules, allow rules that may reach further, and guards whose end may let something pass",
			"narrower":      "whether the rules after the import allow nothing that they did not allow before",
			"policyVersion": "of the rules before a diff, or after an import",
		},
		"Reach": {
			"answer": "yes: a rule may; no: none, whatever the input; undecided: none is known, and that there is none is not proved",
			"rules":  "allow rules, those that may first; at most 200", "total": "all allow rules", "policyVersion": "of the rules",
		},
		"ReachRule": {
			"ruleId": "the allow rule", "answer": "whether it may ever allow such a call", "code": "why", "params": "of the code",
			"by":      "the rule that the code is about, where it is another or its condition; null: none",
			"message": "in English", "example": "a call that the rules allow by this rule, made up; null: the answer is not yes",
		},
		"Narrower": {
			"answer":  "yes: nothing new is allowed; no: example is; undecided: that is not known",
			"ruleId":  "the allow rule that it is about; null: none, or the settings for reading",
			"part":    "of a condition, that could not be told; or empty",
			"example": "a call that is newly allowed, made up; null: the answer is not no",
		},
		"RulePair":     {"before": "as it is", "after": "as it is stored after the import"},
		"RuleDocument": {"format": permission.RuleFormat, "version": "of the format", "rules": "all of them, in the order of judgement"},
	}
}
