package main

import "time"

const (
	// pingEvery is how often the page is asked whether it is there while a call waits.
	pingEvery = 2 * time.Second
	// Patience is how long it has to answer: while a person can see it, while they
	// cannot or the machine has just slept, and while it loads. Each time that it does
	// not answer doubles it, so that a slow machine's page gets there.
	patience       = 3 * time.Second
	hiddenPatience = 15 * time.Second
	loading        = 30 * time.Second
	// afterwards is how long a page must have been there before its patience is the
	// usual again.
	afterwards = time.Minute
)

// page is what the window knows of the page in it, which is another process: it can
// end or hang, and leave a picture behind.
type page struct {
	asked   bool // and has not answered
	lost    bool // not there: what it shows is a picture
	renewed time.Time
	doubled int // how often the patience is
}

// ping asks the page whether it is there. The question goes to the page's own code: a
// timer there would not tell of its end.
func (w *window) ping() {
	if w.page.asked || w.outside.ping == nil {
		return
	}
	w.page.asked = true
	w.outside.ping()
	if w.hidden || w.stands.minimised || !w.stands.shown {
		w.await(hiddenPatience)
	} else {
		w.await(patience)
	}
}

// await gives the page time to answer. Time that the machine slept through is none.
func (w *window) await(usual time.Duration) {
	w.page.asked = true
	slept := w.outside.slept()
	w.after("page", usual<<w.page.doubled, func() {
		if w.outside.slept() > slept+time.Second {
			w.await(hiddenPatience)
			return
		}
		w.lose()
		w.renew()
	})
}

// lose takes the page for gone: whatever it still shows, nobody is at it.
func (w *window) lose() {
	w.page.lost = true
	w.tell()
}

// renew loads the page anew.
func (w *window) renew() {
	w.page.doubled = min(w.page.doubled+1, 6)
	w.page.renewed = time.Now()
	w.screen.renew()
	w.await(hiddenPatience)
}

// pageEnded is told that the page's process has ended. One that ends again and again
// is started later each time.
func (w *window) pageEnded() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lose()
	if w.page.doubled == 0 {
		w.renew()
	} else {
		w.after("page", time.Second<<w.page.doubled, w.renew)
	}
}

// here takes the page's word that it is there, and reports whether it is another than
// the one that was lost.
func (w *window) here() (anew bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	anew = w.page.lost
	w.page.asked, w.page.lost = false, false
	if time.Since(w.page.renewed) > afterwards {
		w.page.doubled = 0
	}
	w.after("page", pingEvery, func() {
		if w.waiting.count > 0 {
			w.ping()
		}
	})
	if anew {
		w.tell()
	}
	return anew
}
