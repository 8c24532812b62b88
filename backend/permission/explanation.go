package permission

import (
	"bytes"
	"encoding/json"
)

// Explanation is why something was decided, allowed or asked: a code and its params for
// programs, and the same in English.
type Explanation struct {
	Code   ReasonCode `json:"code"`
	Params Params     `json:"params"`
	Reason string     `json:"reason"`
}

// Said is an explanation in a person's own words, which have no code.
func Said(words string) Explanation { return Explanation{Reason: words} }

// Params are the values that the words of a code name, as the text of a JSON object: texts,
// whole numbers and truth values. "" is none.
type Params string

// Param is one value and its name, which is letters.
func Param[T ~string | ~int | ~int64 | ~bool](name string, value T) Params {
	raw, err := json.Marshal(value)
	if err != nil {
		panic("a text, a number and a truth value always marshal: " + err.Error())
	}
	return Params(`{"` + name + `":` + string(raw) + "}")
}

// With is p and more of them, whose names p does not have.
func (p Params) With(more Params) Params {
	if p == "" || more == "" {
		return p + more
	}
	return p[:len(p)-1] + "," + more[1:]
}

// MarshalJSON writes an object, where there are none too.
func (p Params) MarshalJSON() ([]byte, error) {
	if p == "" {
		return []byte("{}"), nil
	}
	return []byte(p), nil
}

// UnmarshalJSON keeps the object.
func (p *Params) UnmarshalJSON(raw []byte) error {
	var kept bytes.Buffer
	if err := json.Compact(&kept, raw); err != nil {
		return err
	}
	if *p = Params(kept.String()); *p == "{}" || *p == "null" {
		*p = ""
	}
	return nil
}

// ReasonCode names a reason of a judgement or of a decision. "", which is null in JSON, is
// for words of a person's own: the note of a deny rule, a reason to decline.
type ReasonCode string

// MarshalJSON writes null for no code.
func (c ReasonCode) MarshalJSON() ([]byte, error) {
	if c == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(c))
}

// Reasons that rules and settings give. The params of a rule are ruleId, priority,
// conditional, and those of serverId, method, toolName and toolPattern that it names.
const (
	ReasonRuleAllows   ReasonCode = "rule_allows"
	ReasonRuleAsks     ReasonCode = "rule_asks"
	ReasonRuleDenies   ReasonCode = "rule_denies"
	ReasonNoRule       ReasonCode = "no_rule"       // part: the name of a part of the line, where it has several
	ReasonReadsSetting ReasonCode = "reads_setting" // about (resources, prompts), effect
)

// Reasons why the name of a tool, a server or a prompt, or a URI, is a bad one. The param
// name says which it is of: tool, server, prompt or uri.
const (
	ReasonNameEmpty       ReasonCode = "name_empty"
	ReasonNamePathStep    ReasonCode = "name_path_step"
	ReasonNameTooLong     ReasonCode = "name_too_long" // maxBytes
	ReasonNameNotUTF8     ReasonCode = "name_not_utf8"
	ReasonNameOuterBlank  ReasonCode = "name_outer_blank"  // character, as U+00A0
	ReasonNameControl     ReasonCode = "name_control"      // character
	ReasonNameInvisible   ReasonCode = "name_invisible"    // character
	ReasonNameUnusual     ReasonCode = "name_unusual"      // character
	ReasonNameMixed       ReasonCode = "name_mixed"        // character
	ReasonNameTwoScripts  ReasonCode = "name_two_scripts"  // character, script, otherScript
	ReasonNameNotJudgable ReasonCode = "name_not_judgable" // maxBytes: too long to be held against every deny rule
)

// Reasons to ask whatever the rules allow.
const (
	ReasonHold              ReasonCode = "hold"
	ReasonRulesUnread       ReasonCode = "rules_unread"
	ReasonRuleDamaged       ReasonCode = "rule_damaged"     // row
	ReasonGuardDamaged      ReasonCode = "guard_damaged"    // row
	ReasonSettingsDamaged   ReasonCode = "settings_damaged" //
	ReasonStoreTrouble      ReasonCode = "store_trouble"    // detail: in English
	ReasonStateDisputed     ReasonCode = "state_disputed"   // set, key, more: how many beside it
	ReasonToolChanged       ReasonCode = "tool_changed"     // change: as why.changed
	ReasonToolTurned        ReasonCode = "tool_turned"      // since the call was shown
	ReasonToolNotKept       ReasonCode = "tool_not_kept"
	ReasonServerRelaunched  ReasonCode = "server_relaunched"
	ReasonToolTwinChanged   ReasonCode = "tool_twin_changed"
	ReasonToolNotWatched    ReasonCode = "tool_not_watched"
	ReasonToolNotPinned     ReasonCode = "tool_not_pinned"
	ReasonFirstRoundAnswers ReasonCode = "first_round_answers"
	ReasonUnknownRoundState ReasonCode = "unknown_round_state"
	ReasonUnknownRepeat     ReasonCode = "unknown_repeat" // it was sent to a desk before, which kept no record of it
	ReasonNeedsData         ReasonCode = "needs_data"     // a yes to the call has data, which no rule gives
	ReasonLimit             ReasonCode = "limit_reached"  // ruleId, priority, calls, seconds
	ReasonBrake             ReasonCode = "brake"          // calls, seconds
	ReasonDemonstration     ReasonCode = "demonstration"
)

// ReasonCanary denies what the rules are not asked about: a call that holds a Canary's nonce.
const ReasonCanary ReasonCode = "canary"

// Reasons why a caller may not use a tool at all, whatever the rules say; see package authz. The
// param tool is the name of the tool.
const (
	ReasonAuthenticationRequired ReasonCode = "requires_authentication"
	ReasonCoordinatorRequired    ReasonCode = "requires_coordinator"
	ReasonManagerRequired        ReasonCode = "requires_manager"
	ReasonWorkerRequired         ReasonCode = "requires_worker"
	ReasonChatRequired           ReasonCode = "requires_chat_session" // purpose: that of the session
	ReasonTaskRequired           ReasonCode = "requires_task_session" // purpose: that of the session
	ReasonToolNotRegistered      ReasonCode = "tool_not_registered"
)

// ByTable reports whether the code is that of a caller who may not use a tool at all.
func (c ReasonCode) ByTable() bool {
	switch c {
	case ReasonAuthenticationRequired, ReasonCoordinatorRequired, ReasonManagerRequired, ReasonWorkerRequired,
		ReasonChatRequired, ReasonTaskRequired, ReasonToolNotRegistered:
		return true
	}
	return false
}

// Reasons why a call of a workspace's tools is refused, whatever rules and persons say; see package
// guard. The param detail is in English.
const (
	ReasonCommandNotAllowed  ReasonCode = "command_not_allowed"
	ReasonPathOutside        ReasonCode = "path_outside_workspace"
	ReasonFileTypeNotAllowed ReasonCode = "file_type_not_allowed"
	ReasonFileTooLarge       ReasonCode = "file_too_large"
	ReasonTimeoutTooLong     ReasonCode = "timeout_too_long"
	ReasonWorkspaceInput     ReasonCode = "workspace_input"
)

// Reasons of what the clock, a caller and a person settle without words of their own.
const (
	ReasonNobodyAnswered ReasonCode = "nobody_answered"
	ReasonNoClient       ReasonCode = "no_client"
	ReasonRunCancelled   ReasonCode = "run_cancelled"
	ReasonSessionEnded   ReasonCode = "session_ended"
	ReasonGrantEnded     ReasonCode = "grant_ended"
	ReasonAgentRemoved   ReasonCode = "agent_removed"
	ReasonAgentStopped   ReasonCode = "agent_stopped" // until: when it may go on by itself
)

// TraceCode says why one rule applied to a call or not.
type TraceCode string

// Why a rule applied or not.
const (
	TraceApplies         TraceCode = "applies"
	TraceLater           TraceCode = "earlier_rule_decided"
	TraceDisabled        TraceCode = "disabled"
	TraceExpired         TraceCode = "expired"
	TraceServer          TraceCode = "server_differs"
	TraceMethod          TraceCode = "other_method"
	TraceTool            TraceCode = "tool_differs"
	TracePattern         TraceCode = "pattern_differs"
	TraceBadName         TraceCode = "bad_name"
	TraceLong            TraceCode = "name_too_long"
	TraceConditionFalse  TraceCode = "condition_false"
	TraceConditionFailed TraceCode = "condition_failed"         // error: in English
	TraceConditionDoubt  TraceCode = "applies_condition_failed" // error: in English
	TraceParts           TraceCode = "judged_by_parts"
	TraceLineOpaque      TraceCode = "line_opaque"
	TracePartCode        TraceCode = "part_runs_code"
	TracePartWrites      TraceCode = "part_writes"
	TracePartGuarded     TraceCode = "part_guarded"
	TraceLimit           TraceCode = "limit_reached" // calls, seconds
)

// ReasonCodes lists every reason.
var ReasonCodes = [...]ReasonCode{
	ReasonRuleAllows, ReasonRuleAsks, ReasonRuleDenies, ReasonNoRule, ReasonReadsSetting, ReasonNameEmpty,
	ReasonNamePathStep, ReasonNameTooLong, ReasonNameNotUTF8, ReasonNameOuterBlank, ReasonNameControl,
	ReasonNameInvisible, ReasonNameUnusual, ReasonNameMixed, ReasonNameTwoScripts, ReasonNameNotJudgable,
	ReasonHold, ReasonRulesUnread, ReasonRuleDamaged, ReasonGuardDamaged, ReasonSettingsDamaged,
	ReasonStoreTrouble, ReasonStateDisputed, ReasonToolChanged, ReasonToolTurned, ReasonToolNotKept,
	ReasonServerRelaunched, ReasonToolTwinChanged, ReasonToolNotWatched, ReasonToolNotPinned,
	ReasonFirstRoundAnswers, ReasonUnknownRoundState, ReasonUnknownRepeat, ReasonNeedsData, ReasonLimit, ReasonBrake,
	ReasonDemonstration,
	ReasonCanary, ReasonNobodyAnswered, ReasonNoClient,
	ReasonRunCancelled, ReasonSessionEnded, ReasonGrantEnded, ReasonAgentRemoved, ReasonAgentStopped,
	ReasonAuthenticationRequired, ReasonCoordinatorRequired, ReasonManagerRequired, ReasonWorkerRequired,
	ReasonChatRequired, ReasonTaskRequired, ReasonToolNotRegistered,
	ReasonCommandNotAllowed, ReasonPathOutside, ReasonFileTypeNotAllowed, ReasonFileTooLarge, ReasonTimeoutTooLong,
	ReasonWorkspaceInput,
}

// TraceCodes lists every code of a trace.
var TraceCodes = [...]TraceCode{
	TraceApplies, TraceLater, TraceDisabled, TraceExpired, TraceServer, TraceMethod, TraceTool, TracePattern,
	TraceBadName, TraceLong, TraceConditionFalse, TraceConditionFailed, TraceConditionDoubt,
	TraceParts, TraceLineOpaque, TracePartCode, TracePartWrites, TracePartGuarded, TraceLimit,
}
