package broker

import (
	"encoding/json"

	"sekisho/backend/permission"
)

func actor(a permission.AgentID) string { return "agent:" + string(a) }

// step is what the journal keeps of a transition. Inputs and results are not in
// it: the hash stands for the input.
type step struct {
	Status     permission.Status     `json:"status,omitempty"`
	Reason     string                `json:"reason,omitempty"`
	Door       string                `json:"door,omitempty"`
	Scope      permission.Scope      `json:"scope,omitempty"`
	InputHash  string                `json:"inputHash,omitempty"`
	EditedHash string                `json:"editedHash,omitempty"`
	ResumeData bool                  `json:"resumeData,omitempty"`
	Resolved   permission.Resolution `json:"resolved,omitempty"`
	Until      permission.Time       `json:"expiresAt,omitzero"`
	Claimant   string                `json:"claimant,omitempty"`
	Bytes      int                   `json:"resultBytes,omitempty"`
	Renewed    bool                  `json:"renewed,omitempty"`
	CallerGone bool                  `json:"callerGone,omitempty"`
}

func entry(kind permission.EntryKind, actor string, s step) permission.Entry {
	data, err := json.Marshal(s)
	if err != nil {
		panic("a step of strings and numbers always marshals: " + err.Error())
	}
	return permission.Entry{Kind: kind, Actor: actor, Data: data}
}

func conflict(code permission.Code, c *permission.Call, message string) error {
	return &permission.Error{Code: code, Message: message, Call: c}
}

// settledCodes are the conflicts whose code is the state itself.
var settledCodes = map[permission.Status]permission.Code{
	permission.Expired:   permission.CodeExpired,
	permission.Cancelled: permission.CodeCancelled,
	permission.Denied:    permission.CodeDenied,
	permission.Revoked:   permission.CodeRevoked,
}

// undecidable tells a person who came too late, or answered something else than
// what is there, what stands.
func undecidable(c permission.Call, a permission.Answer) error {
	if c.InputHash != a.InputHash && (c.Original == nil || c.Original.InputHash != a.InputHash) {
		return conflict(permission.CodeHashMismatch, &c, "the answer names another input than this call has")
	}
	if code, ok := settledCodes[c.Status]; ok {
		return conflict(code, &c, "this call is "+string(c.Status))
	}
	if c.Status == permission.Pending {
		return conflict(permission.CodeStale, &c, "this call changed since it was shown")
	}
	return conflict(permission.CodeAlreadyDecided, &c, "this call is already "+string(c.Status))
}

func unclaimable(c permission.Call, req permission.ClaimRequest) error {
	if c.InputHash != req.InputHash {
		return conflict(permission.CodeHashMismatch, &c, "the claim names another input than this call has")
	}
	if code, ok := settledCodes[c.Status]; ok {
		return conflict(code, &c, "this call is "+string(c.Status))
	}
	switch c.Status {
	case permission.Claimed, permission.InDoubt, permission.Completed, permission.Failed:
		return conflict(permission.CodeAlreadyClaimed, &c, "this call has been claimed")
	case permission.Approved:
		return conflict(permission.CodeNotApproved, &c, "the caller of this call has left: ask the same again to take it up")
	}
	return conflict(permission.CodeNotApproved, &c, "this call is "+string(c.Status))
}

func uncancellable(c permission.Call) error {
	if code, ok := settledCodes[c.Status]; ok {
		return conflict(code, &c, "this call is "+string(c.Status))
	}
	if c.Status == permission.Declined {
		return conflict(permission.CodeAlreadyDecided, &c, "this call is already declined")
	}
	return conflict(permission.CodeAlreadyClaimed, &c, "this call has been claimed")
}
