package main

import "sekisho/backend/notify"

// closing reports whether the window stays when a person closes it, which it does until the program ends. It
// goes out of sight, if the settings want that and the tray leads back to it or if it had only come up by
// itself, or asks first, or begins the end.
func (w *window) closing() (stays bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.quitting:
		return false
	case w.screen == nowhere{}: // a signal ends the program before the window is made
	case w.back != nil && w.back.hidden && w.reachable(), w.settings.Window.CloseToTray && w.desktop.Tray() && w.outside.explained():
		w.withdraw()
	case w.settings.Window.CloseToTray && w.desktop.Tray():
		w.ask(notify.ToTray(w.settings.Language), func(bool) {
			w.outside.explain()
			w.withdraw()
		})
	case !w.asksFirst():
		w.quit()
	}
	return true
}

// withdraw takes the window out of sight.
func (w *window) withdraw() {
	w.hide()
	w.tell()
}

// leave ends the desk for a person who wants that, or asks first.
func (w *window) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.hidden {
		w.raise("", false)
	}
	if !w.asksFirst() {
		w.quit()
	}
}

// asksFirst says what ends with the desk, and ends it if the person wants that all
// the same; it reports whether there is anything to say.
func (w *window) asksFirst() bool {
	agents := w.outside.connected()
	if w.waiting.count == 0 && agents == 0 {
		return false
	}
	w.ask(notify.Leaving(w.settings.Language, w.waiting.count, w.waiting.more, agents), func(yes bool) {
		if yes {
			w.quit()
		}
	})
	return true
}

// leaveNow ends the desk, whatever there would be to ask.
func (w *window) leaveNow() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.quit()
}

// quit begins the end, once. The next closing is no question.
func (w *window) quit() {
	if !w.quitting {
		w.quitting = true
		w.screen.end()
	}
}

// ask puts a question, unless one stands already.
func (w *window) ask(q notify.Question, answer func(yes bool)) {
	if w.answer == nil {
		w.answer = answer
		w.screen.ask(q)
	}
}

// answered takes the person's answer.
func (w *window) answered(yes bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if answer := w.answer; answer != nil {
		w.answer = nil
		answer(yes)
	}
}
