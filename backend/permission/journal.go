package permission

import "encoding/json"

// EntryKind is what an entry of the journal tells of.
type EntryKind string

// Kinds of journal entries; those with a call are also the live events of
// CONTRACT section 4.
const (
	CallCreated    EntryKind = "call.created"
	CallChanged    EntryKind = "call.changed"
	CallDecided    EntryKind = "call.decided"
	CallClaimed    EntryKind = "call.claimed"
	CallFinished   EntryKind = "call.finished"
	RulesChanged   EntryKind = "rules.changed"
	ServersChanged EntryKind = "servers.changed"
	AgentsChanged  EntryKind = "agents.changed"
	// GrantsChanged: an answer of wider scope began or ended.
	GrantsChanged EntryKind = "grants.changed"
	// SettingsChanged: a setting, or holding everything.
	SettingsChanged EntryKind = "settings.changed"
	// StateChanged: what is known of tools changed, or another set of which no entry of
	// its own tells.
	StateChanged EntryKind = "state.changed"
	// StateKept: all that decides what is allowed, as it stood: rules, grants, settings,
	// servers, agents and tools.
	StateKept EntryKind = "state.kept"
	// StateSettled: a person said which version of a row holds that read other than the
	// journal says.
	StateSettled EntryKind = "state.settled"
	// CheckpointKind: a signature over the entry before it.
	CheckpointKind EntryKind = "checkpoint"
	// InputsWiped: inputs were removed, by a person or by age; their hashes stay.
	InputsWiped EntryKind = "inputs.wiped"
	// OperatorRefused: an agent tried what a person alone may do.
	OperatorRefused EntryKind = "operator.refused"
	// TasksChanged: a task was made, assigned, taken or ended.
	TasksChanged EntryKind = "tasks.changed"
	// ConversationsChanged: a conversation was begun, ended or deleted, or a message of it was
	// sent or delivered. The text of messages is not in the journal.
	ConversationsChanged EntryKind = "conversations.changed"
	// JournalTrimmed: the oldest entries were removed. Its data {through, hash} names
	// the last of them, so that what remains can still be verified.
	JournalTrimmed EntryKind = "journal.trimmed"
)

// Actors other than agents. An agent is written "agent:" + its id.
const (
	ActorPerson = "person"
	ActorClock  = "clock"
	ActorDesk   = "desk"
)

// Entry is one line of the journal. Hash is the hex SHA-256 of the canonical
// JSON of the entry without its hash; PrevHash is the hash before it ("" for the
// first), so that a changed, dropped or inserted line shows.
type Entry struct {
	Seq      int64           `json:"seq"`
	At       Time            `json:"at"`
	Kind     EntryKind       `json:"kind"`
	CallID   *CallID         `json:"callId"`
	Actor    string          `json:"actor"`
	Data     json.RawMessage `json:"data"`
	PrevHash string          `json:"prevHash"`
	Hash     string          `json:"hash"`
}

// Data is what an entry says; maps of plain values always marshal.
func Data(v map[string]any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("journal data: " + err.Error())
	}
	return raw
}

// Unhashed is what the hash of an entry covers: all of it but the hash.
func (e Entry) Unhashed() any {
	return struct {
		Seq      int64           `json:"seq"`
		At       Time            `json:"at"`
		Kind     EntryKind       `json:"kind"`
		CallID   *CallID         `json:"callId"`
		Actor    string          `json:"actor"`
		Data     json.RawMessage `json:"data"`
		PrevHash string          `json:"prevHash"`
	}{e.Seq, e.At, e.Kind, e.CallID, e.Actor, e.Data, e.PrevHash}
}

// Trims reports whether an entry says that exactly what came before first was removed by
// retention.
func (e Entry) Trims(first Entry) bool {
	var said struct {
		Through int64  `json:"through"`
		Hash    string `json:"hash"`
	}
	return e.Kind == JournalTrimmed && e.Actor == ActorDesk && json.Unmarshal(e.Data, &said) == nil &&
		said.Through == first.Seq-1 && said.Hash == first.PrevHash
}

// Event is the live notice of a journal entry: a hint to look again, not the
// news itself. Agent, Run and Session are those of the call, for filters.
type Event struct {
	Seq     int64
	Kind    EntryKind
	CallID  CallID
	Agent   AgentID
	Run     RunID
	Session SessionID
}
