package notify

import (
	"strings"
	"testing"
)

func in(t *testing.T, lang string) words {
	t.Helper()
	all, err := catalogue()
	if err != nil {
		t.Fatal(err)
	}
	return wordsIn(all, lang)
}

func TestCounts(t *testing.T) {
	for _, c := range []struct {
		lang string
		n    int
		more bool
		want string
	}{
		{"en", 1, false, "1 call waits for you"},
		{"en", 2, false, "2 calls wait for you"},
		{"en", 1000, true, "1000+ calls wait for you"},
		{"ja", 3, false, "3 件の呼び出しがあなたの答えを待っています"},
		{"zh-TW", 1, false, "有 1 個呼叫在等您回答"},
		{"ru", 1, false, "1 вызов ждёт вашего решения"},
		{"ru", 2, false, "2 вызова ждут вашего решения"},
		{"ru", 5, false, "5 вызовов ждут вашего решения"},
		{"ru", 11, false, "11 вызовов ждут вашего решения"},
		{"ru", 21, false, "21 вызов ждёт вашего решения"},
		{"ru", 112, false, "112 вызовов ждут вашего решения"},
	} {
		if got := in(t, c.lang).waiting(State{Waiting: c.n, More: c.more}); got != c.want {
			t.Errorf("%s, %d: %q", c.lang, c.n, got)
		}
	}
}

func TestWhatTheNewestWants(t *testing.T) {
	server := "filesystem"
	asked := &Asked{Agent: "scribe", Tool: "write_file", Server: &server}
	for _, c := range []struct {
		lang  string
		state State
		want  string
	}{
		{"en", State{Waiting: 1, Newest: asked}, "Approval Needed: scribe|Tool 'write_file' requires approval"},
		{"en", State{Waiting: 3, Newest: asked}, "Approval Needed: scribe|Tool 'write_file' requires approval\n3 calls wait for you"},
		{"en", State{Waiting: 1, Newest: &Asked{Agent: "{tool}", Tool: "{what}{server}", Server: &server}},
			"Approval Needed: {tool}|Tool '{what}{server}' requires approval"},
		{"en", State{Waiting: 2, Newest: &Asked{Agent: "a\nb", Tool: "\u202ecod", Server: &server}},
			"Approval Needed: a⟦U+000A⟧b|Tool '⟦U+202E⟧cod' requires approval\n2 calls wait for you"},
		{"ru", State{Waiting: 1, Newest: asked}, "Нужно одобрение: scribe|Инструмент «write_file» требует одобрения"},
		{"ja", State{Waiting: 1, Newest: asked}, "承認が必要です: scribe|ツール「write_file」には承認が必要です"},
		{"zh-TW", State{Waiting: 1, Newest: asked}, "需要核准：scribe|工具「write_file」需要核准"},
		{"en", State{Waiting: 2}, "2 calls wait for you|"},
	} {
		if got := in(t, c.lang).title(c.state) + "|" + in(t, c.lang).text(c.state); got != c.want {
			t.Errorf("%+v: %q, want %q", c.state, got, c.want)
		}
	}
}

func TestTrayWords(t *testing.T) {
	for want, s := range map[string]State{
		"No call waits": {}, "No call waits · Everything is held": {Held: true},
		"1 call waits": {Waiting: 1}, "2 calls wait · Everything is held": {Waiting: 2, Held: true},
	} {
		if got := in(t, "en").tray(s); got != want {
			t.Errorf("%+v: %q", s, got)
		}
	}
}

// TestEveryText: no text is missing in a language, and no place stays open.
func TestEveryText(t *testing.T) {
	server := "s"
	for _, lang := range []string{"en", "ja", "zh-TW", "ru"} {
		w := in(t, lang)
		state := State{Waiting: 2, Held: true, Newest: &Asked{Agent: "a", Tool: "t", Server: &server}}
		for _, text := range []string{w.waiting(state), w.title(state), w.text(state),
			w.tray(state), w.tray(State{}), w.say("review"), w.say("hold"),
			w.say("open"), w.say("quit")} {
			if strings.TrimSpace(text) == "" || strings.ContainsAny(text, "{}") {
				t.Errorf("%s says %q", lang, text)
			}
		}
	}
}

func TestSystemLanguage(t *testing.T) {
	for _, c := range []struct{ all, messages, lang, want string }{
		{"", "", "", "en"},
		{"", "", "ja_JP.UTF-8", "ja"},
		{"", "ru_RU", "ja_JP.UTF-8", "ru"},
		{"C.UTF-8", "ru_RU", "ja_JP.UTF-8", "en"},
		{"", "", "zh_TW.Big5", "zh-TW"},
		{"", "", "zh-Hant-HK", "zh-TW"},
		{"", "", "zh_HK.UTF-8", "zh-TW"},
		{"", "", "zh_CN.UTF-8", "en"},
		{"", "", "zh_SG", "en"},
		{"", "", "zh", "en"},
		{"", "", "POSIX", "en"},
		{"", "", "@", "en"},
		{"", "", "ru@latin", "ru"},
		{"", "", "rup_MK", "en"},
		{"", "", "de_DE.UTF-8", "en"},
	} {
		env := map[string]string{"LC_ALL": c.all, "LC_MESSAGES": c.messages, "LANG": c.lang}
		if got := systemLanguage(func(name string) string { return env[name] }); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
	t.Setenv("LC_ALL", "ja_JP.UTF-8")
	if got := in(t, "").say("quit"); got != "終了" {
		t.Errorf("the system's language says %q", got)
	}
	if got := in(t, "ru").say("quit"); got != "Выход" {
		t.Errorf("the language of the settings says %q", got)
	}
}
