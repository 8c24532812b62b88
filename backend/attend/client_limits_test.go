package attend

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"sekisho/backend/permission"
)

// play is what a client does, one word a held call: "back" waits to the end and comes back
// at once, "late" comes back later, "else" asks for something else; "left 60s" leaves, and
// "over 60s" leaves and says that its time was over.
func (p *limits) play(t *testing.T, client string, known time.Duration, hard bool, word string, after time.Duration) {
	t.Helper()
	req := Request{Agent: permission.Agent{ID: "a"}, Client: client, Lively: true,
		Call: permission.Request{ToolName: "x", Input: []byte(`{"a":1}`)}}
	who := agentClient{"a", client}
	req.Patience = p.of(who, known, hard)
	switch word {
	case "left", "over":
		if after < req.Patience {
			p.note(who, leaving{after, word == "over"})
		}
		return
	case "still": // hears no signs of life
		req.Lively = false
	}
	time.Sleep(req.Patience)
	var gone error
	if word == "gone" { // nobody heard it
		gone = ErrGone
	}
	p.pending(&req, req.Patience)(gone)
	again := req
	switch word {
	case "late":
		time.Sleep(backWithin + time.Second)
	case "else":
		again.Call.Input = []byte(`{"a":2}`)
	}
	p.back(&again)
	p.back(&again) // one coming back counts once
}

func TestLimits(t *testing.T) {
	type does struct {
		word  string
		after time.Duration
	}
	back, left, over := does{"back", 0}, func(s int) does { return does{"left", time.Duration(s) * time.Second} },
		func(s int) does { return does{"over", time.Duration(s) * time.Second} }
	for name, tt := range map[string]struct {
		known int
		hard  bool
		does  []does
		want  int // how long it is kept waiting then, in seconds
	}{
		"nothing seen":              {50, false, nil, 50},
		"came back":                 {50, false, []does{back}, 100},
		"came back again and again": {50, false, []does{back, back, back}, 400},
		"bounded":                   {50, false, []does{back, back, back, back, back, back, back, back}, 3600},
		"known for longer":          {3600, false, []does{back, back}, 3600},
		"a hard limit":              {300, true, []does{back, back}, 300},
		"came back late":            {50, false, []does{{"late", 0}}, 50},
		"asked for something else":  {50, false, []does{{"else", 0}}, 50},
		"hears no signs of life":    {50, false, []does{{"still", 0}}, 50},
		"was not there to hear":     {50, false, []does{{"gone", 0}}, 50},
		"said that time was over":   {50, false, []does{back, over(60)}, 60},
		"and never grows again":     {50, false, []does{back, over(60), back, back, back, back, back, back}, 60},
		"left without a word":       {50, false, []does{back, left(60)}, 60},
		"is tried again, not soon":  {50, false, []does{back, left(60), back, back, back, back}, 60},
		"but in the end":            {50, false, []does{back, left(60), back, back, back, back, back}, 120},
		"left in like manner again": {50, false,
			[]does{back, left(60), back, back, back, back, back, left(61), back, back, back, back, back}, 61},
		"left earlier than it stays": {50, false, []does{back, back, back, left(70)}, 400},
		"left at different times":    {300, false, []does{left(40), left(90)}, 300},
		"left twice after the same":  {300, false, []does{left(90), left(91)}, 91},
		"too short to be a limit":    {300, false, []does{over(2), over(2)}, 300},
		"said it once":               {300, false, []does{over(20)}, 300},
		"said it twice":              {300, false, []does{over(20), over(30)}, 30},
		"is not lengthened":          {300, false, []does{over(20), over(30), over(29)}, 30},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var p limits
				known := time.Duration(tt.known) * time.Second
				for _, d := range tt.does {
					p.play(t, "someone", known, tt.hard, d.word, d.after)
				}
				if got := p.of(agentClient{"a", "someone"}, known, tt.hard); got != time.Duration(tt.want)*time.Second {
					t.Errorf("waits %s", got)
				}
				if got := p.of(agentClient{"b", "someone"}, known, tt.hard); got != known {
					t.Errorf("another agent's client of the same name waits %s", got)
				}
			})
		})
	}
}

func TestLimitsAreBounded(t *testing.T) {
	var p limits
	p.note(agentClient{"b", "c"}, leaving{time.Minute, true})
	for i := range 3 * permission.MaxClientHabits {
		p.note(agentClient{"a", fmt.Sprint(i)}, leaving{time.Minute, true})
	}
	p.note(agentClient{"a", ""}, leaving{time.Minute, true})
	p.note(agentClient{"a", ""}, leaving{time.Minute, true})
	if p.habits[agentClient{"a", ""}] != nil || len(p.habits) > permission.MaxClientHabits+1 {
		t.Errorf("%d names are kept", len(p.habits))
	}
	if p.habits[agentClient{"b", "c"}] == nil {
		t.Error("the many names of one agent make that of another forgotten")
	}
}
