package permission

import (
	"fmt"
	"slices"
	"time"
)

// Settings of a desk (CONTRACT section 4). All of them are kept with its data.
type Settings struct {
	// Deadlines say how long a call waits for a person, in seconds, by its risk.
	// null is for ever.
	Deadlines Deadlines `json:"deadlines"`
	// Limits of one agent.
	Limits Limits `json:"limits"`
	// Brake is how often rules and grants allow the same call in a session before it asks;
	// nil is without end.
	Brake *Limit `json:"brake"`
	// DenialMemory declines an identical call of a session again by itself.
	DenialMemory bool `json:"denialMemory"`
	// UndoSeconds is how long the window waits before it sends a decision; 0 is off.
	UndoSeconds int64 `json:"undoSeconds"`
	// Retention says what is kept how long.
	Retention Retention `json:"retention"`
	// Reads say what becomes of reading a resource or getting a prompt where no rule
	// applies.
	Reads Reads `json:"reads"`
	// Hooks say what becomes of what agent programs ask by their hooks.
	Hooks Hooks `json:"hooks"`
	// Patience is how long known MCP clients wait for an answer, in seconds, by the
	// name that they introduce themselves with.
	Patience map[string]int64 `json:"patience"`
	// Language of the window: "" follows the system, else ja, zh-TW, ru or en.
	Language string `json:"language" enum:",ja,zh-TW,ru,en"`
	// Window says how the desktop window behaves.
	Window WindowSettings `json:"window"`
	// Hold is set by POST /v1/hold: while on, nothing is allowed without asking.
	Hold bool `json:"hold"`
}

// Deadlines by risk, in seconds; nil is for ever.
type Deadlines struct {
	Low    *float64 `json:"low"`
	Medium *float64 `json:"medium"`
	High   *float64 `json:"high"`
}

// Limits of one agent. InputMembers are the members and elements, together, of one input
// and of what else an agent sends at once: what it costs to parse goes by them.
type Limits struct {
	PendingPerAgent int64 `json:"pendingPerAgent"`
	InputMembers    int64 `json:"inputMembers"`
}

// Hooks are the settings of agent programs' hooks.
type Hooks struct {
	// Unanswered says what becomes of a call that nobody answers in time.
	Unanswered Unanswered `json:"unanswered" enum:"deny,client"`
}

// Unanswered is what becomes of a call of an agent program that nobody answers in time.
type Unanswered string

// What can become of it.
const (
	UnansweredDeny   Unanswered = "deny"   // the program is told no
	UnansweredClient Unanswered = "client" // the program asks a person itself, where it can
)

// Retention of the journal and of inputs; 0 is for ever.
type Retention struct {
	JournalDays      int64 `json:"journalDays"`
	JournalMegabytes int64 `json:"journalMegabytes"`
	InputDays        int64 `json:"inputDays"`
}

// WindowSettings say how the desktop window behaves. None of them decides a call.
type WindowSettings struct {
	// PopUp brings the window up, over what covers it, for a call that waits.
	PopUp bool `json:"popUp"`
	// Sound lets the desktop's notification sound.
	Sound bool `json:"sound"`
	// Quiet lets calls queue without a word: no window comes up, nothing notifies.
	Quiet bool `json:"quiet"`
	// StartHidden starts without the window, where the desktop offers a way to it.
	StartHidden bool `json:"startHidden"`
	// CloseToTray lets the desk live on when its window is closed.
	CloseToTray bool `json:"closeToTray"`
	// Autostart starts the desk, hidden, with the person's session.
	Autostart bool `json:"autostart"`
}

// DefaultSettings are those of a new desk.
func DefaultSettings() Settings {
	seconds := func(s float64) *float64 { return &s }
	return Settings{
		Brake:        &Limit{Calls: 50, Seconds: 60},
		Deadlines:    Deadlines{Low: seconds(300), Medium: seconds(300), High: seconds(600)},
		Limits:       Limits{PendingPerAgent: 1000, InputMembers: 100_000},
		DenialMemory: true,
		UndoSeconds:  3,
		Reads:        Reads{Resources: Allow, Prompts: Allow},
		Hooks:        Hooks{Unanswered: UnansweredDeny},
		Patience:     map[string]int64{},
		Window:       WindowSettings{PopUp: true, Sound: true, CloseToTray: true},
	}
}

// Deadline is how long a call of a risk waits; 0 is for ever.
func (s *Settings) Deadline(r Risk) time.Duration {
	given := s.Deadlines.High
	switch r {
	case RiskLow:
		given = s.Deadlines.Low
	case RiskMedium:
		given = s.Deadlines.Medium
	}
	if given == nil {
		return 0
	}
	return time.Duration(*given * float64(time.Second))
}

// Bounds of settings.
const (
	maxSeconds = 10 * 365 * 24 * 3600
	maxDays    = 100 * 365
)

// Valid says what is wrong with settings as an *Error with Code invalid and the
// field's name, or nil.
func (s *Settings) Valid() error {
	for _, d := range []struct {
		field string
		value *float64
	}{{"low", s.Deadlines.Low}, {"medium", s.Deadlines.Medium}, {"high", s.Deadlines.High}} {
		if d.value != nil && !(*d.value >= 1 && *d.value <= maxSeconds) {
			return Invalid("deadlines."+d.field, FieldOutOfRange, "a deadline is at least a second, or null for never")
		}
	}
	for _, n := range []struct {
		field         string
		value         int64
		least, utmost int64
	}{
		{"limits.pendingPerAgent", s.Limits.PendingPerAgent, 1, 1_000_000},
		{"limits.inputMembers", s.Limits.InputMembers, 100, 1_000_000},
		{"undoSeconds", s.UndoSeconds, 0, 60},
		{"retention.journalDays", s.Retention.JournalDays, 0, maxDays},
		{"retention.journalMegabytes", s.Retention.JournalMegabytes, 0, 1 << 30},
		{"retention.inputDays", s.Retention.InputDays, 0, maxDays},
	} {
		if n.value < n.least || n.value > n.utmost {
			return Invalid(n.field, FieldOutOfRange, fmt.Sprintf("from %d to %d", n.least, n.utmost)).
				With(Param("least", n.least).With(Param("most", n.utmost)))
		}
	}
	if err := s.Brake.valid("brake", MaxBrakeCalls, MaxBrakeSeconds); err != nil {
		return err
	}
	if err := s.Reads.valid(); err != nil {
		return err
	}
	if s.Hooks.Unanswered != UnansweredDeny && s.Hooks.Unanswered != UnansweredClient {
		return Invalid("hooks.unanswered", FieldNotOneOf, "deny, or client for its own prompt")
	}
	for client, seconds := range s.Patience {
		if client == "" || len(client) > MaxNameBytes || seconds < 5 || seconds > maxSeconds {
			return Invalid("patience", FieldClientPatience, "a client has a name, and waits for at least five seconds")
		}
	}
	if len(s.Patience) > 1000 {
		return Invalid("patience", FieldTooMany, "more than 1000 clients")
	}
	if !slices.Contains([]string{"", "ja", "zh-TW", "ru", "en"}, s.Language) {
		return Invalid("language", FieldNotOneOf, "ja, zh-TW, ru, en, or empty for the system's own")
	}
	return nil
}
