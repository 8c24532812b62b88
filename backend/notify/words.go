package notify

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"

	"sekisho/frontend"
)

// words are the desktop's texts in one language, by key.
type words struct {
	tag   language.Tag
	texts map[string]forms
}

// forms are a text by plural category. One that does not count has "other" alone.
type forms map[string]string

// UnmarshalJSON reads a text, or an object of its forms.
func (f *forms) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*f = forms{"other": text}
		return nil
	}
	return json.Unmarshal(raw, (*map[string]string)(f))
}

// catalogue reads the words of all languages.
func catalogue() (map[string]map[string]forms, error) {
	var all map[string]map[string]forms
	if err := json.Unmarshal(frontend.Words(), &all); err != nil {
		return nil, fmt.Errorf("read the desktop's words: %w", err)
	}
	return all, nil
}

// wordsIn gives the words of a language of the settings; "" is the system's own.
func wordsIn(all map[string]map[string]forms, wanted string) words {
	if wanted == "" {
		wanted = systemLanguage(os.Getenv)
	}
	return words{tag: language.Make(wanted), texts: all[wanted]}
}

// systemLanguage reads the environment as the C library does.
func systemLanguage(env func(string) string) string {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if value := env(name); value != "" {
			return spoken(value)
		}
	}
	return "en"
}

// spoken is the one of our languages for a locale. Our Chinese is written in
// traditional characters: a reader of simplified ones (zh_CN, zh_SG, zh alone) is
// told in English, as by the page.
func spoken(locale string) string {
	name := strings.FieldsFunc(locale, func(r rune) bool { return r == '.' || r == '@' }) // without the encoding and the variant
	if len(name) == 0 {
		return "en"
	}
	tag := language.Make(name[0])
	script, _ := tag.Script()
	switch base, _ := tag.Base(); {
	case base.String() == "ja", base.String() == "ru":
		return base.String()
	case base.String() == "zh" && script.String() == "Hant":
		return "zh-TW"
	}
	return "en"
}

// say gives a text with its places filled. Values are not looked into for places.
func (w words) say(key string, values ...string) string {
	return strings.NewReplacer(values...).Replace(w.texts[key]["other"])
}

// count gives the form of a text for a number; more says that it is a lower bound.
func (w words) count(key string, n int, more bool) string {
	text, ok := w.texts[key][category(w.tag, n)]
	if !ok {
		text = w.texts[key]["other"]
	}
	number := strconv.Itoa(n)
	if more {
		number += "+"
	}
	return strings.ReplaceAll(text, "{count}", number)
}

// category is the plural category of a whole number.
func category(tag language.Tag, n int) string {
	switch plural.Cardinal.MatchPlural(tag, n, 0, 0, 0, 0) {
	case plural.One:
		return "one"
	case plural.Few:
		return "few"
	case plural.Many:
		return "many"
	}
	return "other"
}

// waiting says how many calls wait, in one sentence.
func (w words) waiting(s State) string { return w.count("waiting", s.Waiting, s.More) }

// title is that of a notification: whose newest call needs a yes.
func (w words) title(s State) string {
	if s.Newest == nil {
		return w.waiting(s)
	}
	return w.say("needed", "{who}", plain(s.Newest.Agent))
}

// text says which tool the newest call wants, and how many calls wait where there are more,
// in plain text.
func (w words) text(s State) string {
	if s.Newest == nil {
		return ""
	}
	text := w.say("requires", "{tool}", plain(s.Newest.Tool))
	if s.Waiting > 1 {
		text += "\n" + w.waiting(s)
	}
	return text
}

// waits says how many calls wait, none too.
func (w words) waits(s State) string {
	if s.Waiting == 0 {
		return w.say("trayNone")
	}
	return w.count("trayWaiting", s.Waiting, s.More)
}

// tray is what the tray item says.
func (w words) tray(s State) string {
	text := w.waits(s)
	if s.Held {
		text += " · " + w.say("held")
	}
	return text
}
