package desk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// What a caller brings to a later round of a call that takes several.
const (
	inputResponses = "inputResponses" // what the server asked for
	requestState   = "requestState"   // what the server wants back as it gave it
)

// envelope is what a call carries beside its name and its input.
type envelope struct {
	raw   json.RawMessage // nil is none
	hash  *string         // nil where there is none
	names []string        // of its members
}

// checkEnvelope refuses an envelope that two readers could read differently, and hashes
// the rest.
func (d *Calls) checkEnvelope(raw json.RawMessage) (e envelope, err error) {
	if len(raw) == 0 {
		return e, nil
	}
	if err := d.checkJSON("envelope", func(l rawjson.Limits) error { return l.Check(raw) }); err != nil {
		return e, err
	}
	members, err := rawjson.Members(raw)
	switch {
	case err != nil:
		return e, permission.Invalid("envelope", permission.FieldWrongType, "an envelope is an object")
	case len(members) == 0:
		return e, nil
	}
	hash, err := rawjson.EnvelopeHash(raw)
	if err != nil {
		return e, err
	}
	e.raw, e.hash = raw, &hash
	for _, m := range members {
		e.names = append(e.names, m.Key)
	}
	return e, nil
}

// issue says what is wrong with a call that brings what belongs to a later round, when it
// is the first. Names in other letters count too: some servers do not tell them apart.
func (e *envelope) issue() (issue permission.RoundIssue) {
	for _, name := range e.names {
		switch {
		case strings.EqualFold(name, inputResponses):
			return permission.FirstRoundAnswers
		case strings.EqualFold(name, requestState):
			issue = permission.UnknownRoundState
		}
	}
	return issue
}

// bound reports whether there is more in it than _meta.
func (e *envelope) bound() bool {
	return len(e.names) > 1 || len(e.names) == 1 && e.names[0] != "_meta"
}

// maxNamed bounds how many members of an envelope the journal names.
const maxNamed = 100

// envelopeNames are the names of an envelope's members, as the journal has them.
func envelopeNames(raw json.RawMessage) []string {
	members, _ := rawjson.Members(raw) // a good one: it has a hash
	names := make([]string, min(len(members), maxNamed))
	for i := range names {
		names[i] = permission.Short(members[i].Key, permission.MaxNameBytes)
	}
	return names
}

// earlier is the call that a new one is a further round of; nil is none. That is one of
// the same agent, which asked for the same but for what it brings of its server's round
// before, and which ran.
func (d *Calls) earlier(ctx context.Context, c *permission.Call, id permission.CallID) (*permission.Call, error) {
	if id == "" {
		return nil, nil
	}
	before, err := d.store.Call(ctx, id)
	var e *permission.Error
	if errors.As(err, &e) && e.Code == permission.CodeNotFound {
		return nil, nil // it was not kept so long
	}
	if err != nil {
		return nil, err
	}
	same, err := sameButRound(before.Envelope, c.Envelope)
	if err != nil {
		return nil, fmt.Errorf("hold a round against the one before: %w", err)
	}
	if !same || before.AgentID != c.AgentID || before.Method != c.Method || before.InputHash != c.InputHash ||
		before.Status != permission.Completed {
		return nil, nil // it is none of this call
	}
	return &before, nil
}

// sameButRound reports whether two envelopes say the same but for what is of their rounds.
func sameButRound(a, b json.RawMessage) (bool, error) {
	if len(a)+len(b) == 0 {
		return true, nil
	}
	rest := [2]string{}
	for i, raw := range []json.RawMessage{a, b} {
		left, err := rawjson.Without(raw, inputResponses, requestState)
		if err == nil && left != nil {
			left, err = rawjson.Canonical(nil, left)
		}
		if err != nil {
			return false, err
		}
		rest[i] = string(left)
	}
	return rest[0] == rest[1], nil
}
