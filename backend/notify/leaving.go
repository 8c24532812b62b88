package notify

import "strings"

// Question is what a person is asked beside the page, in their language. No is "" where
// there is nothing to choose.
type Question struct{ Title, Text, Yes, No string }

// Leaving asks whether the desk shall end, and says what ends with it.
func Leaving(language string, waiting int, more bool, agents int) Question {
	w := wordsFor(language)
	var text []string
	if waiting > 0 {
		text = append(text, w.count("leavingWaiting", waiting, more))
	}
	if agents > 0 {
		text = append(text, w.count("leavingAgents", agents, false))
	}
	text = append(text, w.say("leaving"))
	return Question{w.say("leavingTitle"), strings.Join(text, "\n"), w.say("quit"), w.say("stay")}
}

// ToTray says that a window that is closed goes to the tray.
func ToTray(language string) Question {
	w := wordsFor(language)
	return Question{Title: w.say("toTrayTitle"), Text: w.say("toTray"), Yes: w.say("understood")}
}

// wordsFor are the words of a language. The catalogue is the program's own and tested.
func wordsFor(language string) words {
	texts, _ := catalogue()
	return wordsIn(texts, language)
}
