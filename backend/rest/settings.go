package rest

import (
	"context"
	"encoding/json"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

// Settings keeps the settings of the desk, shows and ends the answers of wider scope, and
// shows what is not as the journal says that it was left.
type Settings interface {
	Settings(ctx context.Context) (permission.Settings, error)
	ChangeSettings(ctx context.Context, change func(*permission.Settings) error) (permission.Settings, error)
	Hold(ctx context.Context, on bool) error
	Grants(ctx context.Context) ([]permission.Grant, error)
	EndGrant(ctx context.Context, id permission.GrantID) error
	Differences(ctx context.Context) ([]permission.Difference, error)
	Settle(ctx context.Context, ids []string, take permission.Version) (left []permission.Difference, err error)
}

// settingRows are those of settings, grants and differences.
type settingRows struct{ settings Settings }

func (h *settingRows) addSettings(a *restwire.API) {
	restwire.Register(a, restwire.Row{Route: "GET /v1/settings", ID: "getSettings", Who: restwire.Operators,
		Summary: "Show the settings"}, h.getSettings)
	restwire.Register(a, restwire.Row{Route: "PATCH /v1/settings", ID: "changeSettings", Who: restwire.Operators,
		Summary: "Change the given settings",
		About: "What is left out stays, in nested objects too. A deadline of null is never; a client of the patience table that is null is taken out. " +
			"hold is changed by POST /v1/hold only; here it may be put back as it was read."}, h.changeSettings)
}

type settingsOut struct{ Body permission.Settings }

func settingsAnswer(s permission.Settings, err error) (*settingsOut, error) {
	if s.Patience == nil {
		s.Patience = map[string]int64{}
	}
	return &settingsOut{s}, err
}

func (h *settingRows) getSettings(ctx context.Context, _ *struct{}) (*settingsOut, error) {
	return settingsAnswer(h.settings.Settings(ctx))
}

// settingsForm is what a person may say of the settings, all of it optional. The
// bounds are the desk's (permission.Settings.Valid).
type settingsForm struct {
	Deadlines    deadlinesForm     `json:"deadlines,omitempty" doc:"how long a call waits for a person, in seconds, by risk: at least 1, at most ten years of 365 days; null is for ever"`
	Limits       limitsForm        `json:"limits,omitempty"`
	Brake        *limitForm        `json:"brake,omitempty" nullable:"true" doc:"how often rules and grants allow the same call in a session before it asks a person; 50 in 60 seconds where nobody said otherwise; null is without end"`
	DenialMemory bool              `json:"denialMemory,omitempty"`
	UndoSeconds  int64             `json:"undoSeconds,omitempty" doc:"from 0 to 60"`
	Retention    retentionForm     `json:"retention,omitempty" doc:"what is kept how long; 0 is for ever"`
	Reads        readsForm         `json:"reads,omitempty" doc:"what becomes of reading a resource, subscribing to it, or getting a prompt where no rule applies"`
	Hooks        hooksForm         `json:"hooks,omitempty"`
	Patience     map[string]*int64 `json:"patience,omitempty" nullable:"false" doc:"seconds that an MCP client waits, at least 5, by its name; null takes one out; at most 1000 clients"`
	Language     string            `json:"language,omitempty" doc:"ja, zh-TW, ru, en, or empty for the system's own"`
	Window       windowForm        `json:"window,omitempty" doc:"how the desktop window behaves; none of it decides a call"`
	Hold         bool              `json:"hold,omitempty" readOnly:"true"`
}

type deadlinesForm struct {
	Low    *float64 `json:"low,omitempty" nullable:"true"`
	Medium *float64 `json:"medium,omitempty" nullable:"true"`
	High   *float64 `json:"high,omitempty" nullable:"true"`
}

type limitsForm struct {
	PendingPerAgent int64 `json:"pendingPerAgent,omitempty" doc:"how many calls of one agent may wait, from 1 to 1000000; their inputs may have 256 MiB together, which is no setting"`
	InputMembers    int64 `json:"inputMembers,omitempty" doc:"how many members and elements, together, one input may have, from 100 to 1000000; more are 422 too_many_members. So do an agent's results, and messages over MCP"`
}

type retentionForm struct {
	JournalDays      int64 `json:"journalDays,omitempty" doc:"from 0, which is for ever, to 36500"`
	JournalMegabytes int64 `json:"journalMegabytes,omitempty" doc:"from 0, which is no bound, to 1073741824"`
	InputDays        int64 `json:"inputDays,omitempty" doc:"from 0, which is for ever, to 36500"`
}

type readsForm struct {
	Resources string `json:"resources,omitempty" enum:"allow,ask,deny" doc:"resources/read and resources/subscribe"`
	Prompts   string `json:"prompts,omitempty" enum:"allow,ask,deny" doc:"prompts/get"`
}

type hooksForm struct {
	Unanswered string `json:"unanswered,omitempty" enum:"deny,client" doc:"what becomes of a call of an agent program's hook that nobody answers in time: it is denied, or the program asks a person itself, where it can"`
}

type windowForm struct {
	PopUp       bool `json:"popUp,omitempty" doc:"comes up for a call that waits"`
	Sound       bool `json:"sound,omitempty" doc:"its notification sounds"`
	Quiet       bool `json:"quiet,omitempty" doc:"calls queue without a word; nothing is approved by it"`
	StartHidden bool `json:"startHidden,omitempty" doc:"starts without the window, where the desktop offers a way to it"`
	CloseToTray bool `json:"closeToTray,omitempty" doc:"the desk lives on when the window is closed, where there is a tray"`
	Autostart   bool `json:"autostart,omitempty" doc:"starts with the person's session"`
}

type changeSettingsIn struct{ Body restwire.Part[settingsForm] }

func (h *settingRows) changeSettings(ctx context.Context, in *changeSettingsIn) (*settingsOut, error) {
	return settingsAnswer(h.settings.ChangeSettings(ctx, func(s *permission.Settings) error { return laySettings(in.Body, s) }))
}

// laySettings writes the fields that a document has over settings, which the desk
// gives as a copy and validates. A null takes a client out of the patience table; to
// encoding/json it is a client that waits for 0 seconds. A null in the brake is nothing, and
// not what was there before.
func laySettings(d restwire.Part[settingsForm], s *permission.Settings) error {
	hold := s.Hold
	if err := json.Unmarshal(d.Raw, s); err != nil {
		return permission.Invalid("", permission.FieldUnreadable, "the settings are not readable")
	}
	var said struct {
		Patience map[string]*int64 `json:"patience"`
		Brake    *permission.Limit `json:"brake"`
	}
	if err := json.Unmarshal(d.Raw, &said); err != nil {
		return permission.Invalid("patience", permission.FieldUnreadable, "not readable")
	}
	if said.Brake != nil {
		s.Brake = said.Brake
	}
	for client, seconds := range said.Patience {
		if seconds == nil {
			delete(s.Patience, client)
		}
	}
	if s.Hold != hold {
		return permission.Invalid("hold", permission.FieldReadOnly, "read only here: POST /v1/hold changes it")
	}
	return nil
}
