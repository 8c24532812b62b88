package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"sekisho/backend/permission"
)

// show prints a call for a person, at once and as a whole. What an agent wrote is made
// visible first. An error says that the person has not seen it.
func show(w io.Writer, c permission.Call) error {
	var b strings.Builder
	server := "its own program"
	if c.ServerID != nil {
		server = visible(*c.ServerID)
	}
	fmt.Fprintf(&b, "%s\n  %s wants to %s %s on %s\n", c.ID, visible(c.AgentName), doing(c.Method), visible(c.ToolName), server)
	if c.Cwd != nil && *c.Cwd != "" {
		fmt.Fprintf(&b, "  in the folder %s\n", visible(*c.Cwd))
	}
	if c.Description != "" {
		fmt.Fprintf(&b, "  in the agent's words, unchecked:\n%s", quoted(c.Description))
	}
	for line := range strings.SplitSeq(indented(c.Input), "\n") {
		fmt.Fprintf(&b, "  %s\n", visible(line))
	}
	showEnvelope(&b, c.Envelope)
	showData(&b, c.ResumeSchema, c.Why.NotChecked)
	showRisk(&b, c)
	showCovers(&b, c.Covers)
	if c.CallerGone {
		b.WriteString("  The agent has stopped waiting: approved, it runs once when the agent asks again.\n")
	}
	if !c.ExpiresAt.IsZero() && c.Status == permission.Pending {
		fmt.Fprintf(&b, "  expires by itself %s\n", moment(c.ExpiresAt.Std(), time.Now()))
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("show the call: %w", err)
	}
	return nil
}

// doing says what a call does with what it names.
func doing(method string) string {
	switch method {
	case permission.ReadResource:
		return "read the resource"
	case permission.SubscribeResource:
		return "subscribe to the resource"
	case permission.GetPrompt:
		return "get the prompt"
	}
	return "run"
}

func showRisk(b *strings.Builder, c permission.Call) {
	fmt.Fprintf(b, "  risk %s, asked because: %s\n", c.Risk, visible(c.Why.Reason))
	for _, reason := range c.RiskReasons {
		fmt.Fprintf(b, "  the risk: %s\n", visible(reason.Text))
	}
}

// showCovers says what a yes of wider scope, given on a screen, would let pass.
func showCovers(b *strings.Builder, covers *permission.Covers) {
	if covers == nil {
		return
	}
	if covers.Class != nil {
		fmt.Fprintf(b, "  a yes to its kind would let pass, in this session: %s\n", visible(covers.Class.Text))
	}
	if covers.Session != nil {
		fmt.Fprintf(b, "  a yes for the session would let pass: %s\n", visible(covers.Session.Text))
	}
}

// showEnvelope prints what the server gets beside the input.
func showEnvelope(b *strings.Builder, envelope json.RawMessage) {
	if len(envelope) == 0 || string(envelope) == "null" {
		return
	}
	fmt.Fprintf(b, "  beside the input, the server gets from the agent:\n%s", quoted(indented(envelope)))
}

// showData says of a call that takes data with its answer what they are, and what of that
// the desk cannot check.
func showData(b *strings.Builder, schema json.RawMessage, notChecked []string) {
	if len(schema) == 0 || string(schema) == "null" {
		return
	}
	fmt.Fprintf(b,
		"  takes data with a yes, which only the desk in a browser can send: approved here, it goes without. Their JSON Schema:\n%s",
		quoted(indented(schema)))
	if len(notChecked) > 0 {
		fmt.Fprintf(b, "  of it the desk does not check:\n%s", quoted(strings.Join(notChecked, "\n")))
	}
}

// indented is JSON for reading, or what is none as it came.
func indented(raw json.RawMessage) string {
	var out bytes.Buffer
	if json.Indent(&out, raw, "", "  ") != nil {
		return string(raw)
	}
	return out.String()
}

// quoted gives an agent's text with a mark before each of its lines: none of them looks
// like one of ours.
func quoted(text string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		fmt.Fprintf(&b, "  | %s\n", visible(line))
	}
	return b.String()
}

// moment says when something is, by the clock that now was read from: with its date
// unless that is today's.
func moment(at, now time.Time) string {
	at = at.In(now.Location())
	if at.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return "at " + at.Format(time.TimeOnly)
	}
	return "on " + at.Format("2006-01-02 at 15:04:05 (-07:00)")
}

// visible writes what a terminal would hide or obey as its code point.
func visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsGraphic(r) && (r == ' ' || !unicode.IsSpace(r)) && !filler(r) {
			b.WriteRune(r)
			continue
		}
		fmt.Fprintf(&b, "⟦U+%04X⟧", r)
	}
	return b.String()
}

// filler reports characters that are graphic by their class and yet show nothing.
func filler(r rune) bool {
	switch {
	case r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0, r == 0x034F, r == 0x2800, r == 0x17B4, r == 0x17B5:
		return true
	case r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0100 && r <= 0xE01EF, r >= 0x180B && r <= 0x180F:
		return true
	}
	return false
}
