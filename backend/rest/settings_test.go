package rest

import (
	"reflect"
	"strings"
	"testing"

	"sekisho/backend/permission"
)

func TestSettingsAreShownAndChanged(t *testing.T) {
	ten, forever := 10.5, (*float64)(nil)
	for _, c := range []struct {
		name, body string
		change     func(*permission.Settings)
	}{
		{"nothing", `{}`, func(*permission.Settings) {}},
		{"one field", `{"undoSeconds":0}`, func(s *permission.Settings) { s.UndoSeconds = 0 }},
		{"one of an object", `{"deadlines":{"low":10.5}}`, func(s *permission.Settings) { s.Deadlines.Low = &ten }},
		{"never", `{"deadlines":{"medium":null,"high":null}}`, func(s *permission.Settings) {
			s.Deadlines.Medium, s.Deadlines.High = forever, forever
		}},
		{"objects", `{"retention":{"inputDays":30},"limits":{"pendingPerAgent":5},"denialMemory":false,"language":"ru"}`,
			func(s *permission.Settings) {
				s.Retention.InputDays, s.Limits.PendingPerAgent, s.DenialMemory, s.Language = 30, 5, false, "ru"
			}},
		{"the window", `{"window":{"quiet":true,"popUp":false}}`, func(s *permission.Settings) { s.Window.Quiet, s.Window.PopUp = true, false }},
		{"the table of patience", `{"patience":{"claude":null,"new":9,"nobody":null}}`, func(s *permission.Settings) {
			s.Patience = map[string]int64{"cursor": 50, "new": 9}
		}},
		{"hold as it is", `{"hold":false}`, func(*permission.Settings) {}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSite(t, nil)
			start := permission.DefaultSettings()
			start.Patience = map[string]int64{"claude": 60, "cursor": 50}
			s.desk.settings = start
			low := start.Deadlines.Low
			got := s.send("PATCH", "/v1/settings", tokenOp, c.body)
			want := permission.DefaultSettings()
			want.Patience = map[string]int64{"claude": 60, "cursor": 50}
			c.change(&want)
			if got.status != 200 || !reflect.DeepEqual(s.desk.settings, want) {
				t.Errorf("%d %s, kept %+v", got.status, got.body, s.desk.settings)
			}
			if *low != 300 || len(start.Patience) != 2 || start.Patience["claude"] != 60 {
				t.Error("the change wrote into what the settings point to")
			}
			read := s.send("GET", "/v1/settings", tokenOp, "")
			if string(read.body) != string(got.body) || !strings.HasPrefix(string(read.body), `{"deadlines":{"low":`) {
				t.Errorf("GET %s, PATCH %s", read.body, got.body)
			}
			if back := s.send("PATCH", "/v1/settings", tokenOp, string(read.body)); back.status != 200 || !reflect.DeepEqual(s.desk.settings, want) {
				t.Errorf("what was read cannot be written: %d %s", back.status, back.body)
			}
		})
	}
}

func TestBadSettingsChangeNothing(t *testing.T) {
	s := newSite(t, nil)
	for body, field := range map[string]string{
		`{"deadline":{}}`: "deadline", `{"deadlines":{"Low":1}}`: "deadlines.Low", `{"deadlines":{"low":0.5}}`: "deadlines.low",
		`{"deadlines":{"low":"5"}}`: "deadlines.low", `{"deadlines":{"low":1e999}}`: "deadlines.low",
		`{"deadlines":null}`: "deadlines", `{"deadlines":5}`: "deadlines", `{"limits":{"pendingPerAgent":0}}`: "limits.pendingPerAgent",
		`{"limits":{"pendingPerAgent":null}}`: "limits.pendingPerAgent", `{"limits":{"pendingPerAgent":1.5}}`: "limits.pendingPerAgent",
		`{"undoSeconds":61}`: "undoSeconds", `{"retention":{"journalDays":-1}}`: "retention.journalDays",
		`{"retention":{"other":1}}`: "retention.other", `{"language":"de"}`: "language", `{"language":null}`: "language",
		`{"patience":{"x":"5"}}`: "patience.x", `{"patience":{"x":1}}`: "patience", `{"patience":{"":50}}`: "patience",
		`{"patience":null}`: "patience", `{"denialMemory":null}`: "denialMemory", `{"denialMemory":0}`: "denialMemory",
		`{"window":null}`: "window", `{"window":{"quiet":null}}`: "window.quiet", `{"window":{"quiet":"yes"}}`: "window.quiet",
		`{"window":{"approve":true}}`: "window.approve", `{"window":{"Quiet":true}}`: "window.Quiet",
		`{"hold":true}`: "hold", `{"undoSeconds":1,"hold":true}`: "hold",
	} {
		got := s.send("PATCH", "/v1/settings", tokenOp, body)
		if p := got.problem(t); got.status != 422 || p.Code != permission.CodeInvalid || p.Field != field {
			t.Errorf("%s: %d %s, want %s", body, got.status, got.body, field)
		}
	}
	if !reflect.DeepEqual(s.desk.settings, permission.DefaultSettings()) || s.desk.touched() > 0 {
		t.Errorf("settings %+v, the desk did %v", s.desk.settings, s.desk.counts)
	}
}

func TestNoPatienceIsAnEmptyTable(t *testing.T) {
	s := newSite(t, nil)
	s.desk.settings.Patience = nil
	if got := s.send("GET", "/v1/settings", tokenOp, ""); !strings.Contains(string(got.body), `"patience":{}`) {
		t.Errorf("%s", got.body)
	}
}
