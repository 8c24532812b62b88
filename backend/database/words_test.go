package database_test

import (
	"testing"

	"sekisho/backend/database"
)

// TestWordsAreToldOfWhenTheyChange holds that whoever listens hears of trouble once as it comes, and once as it goes.
func TestWordsAreToldOfWhenTheyChange(t *testing.T) {
	var w database.Words
	w.Say("before anybody listens")
	w.Say("")
	var heard []string
	w.Listen(func() { heard = append(heard, w.Now()) })
	for _, words := range []string{"", "full", "full", "broken", "", ""} {
		w.Say(words)
	}
	if len(heard) != 3 || heard[0] != "full" || heard[1] != "broken" || heard[2] != "" {
		t.Errorf("heard %q", heard)
	}
}
