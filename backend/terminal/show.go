package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"sekisho/backend/permission"
	"sekisho/backend/show"
)

// Show prints a call for a person, at once and as a whole. What an agent wrote is made
// visible first. look is what the desk says that it would do; nil is nothing. An error says
// that the person has not seen it.
func Show(w io.Writer, c permission.Call, look *permission.Look) error {
	return Print(w, described(short(c.ID, c.Rev), c, look, time.Now()))
}

// Print writes a text no wider than the terminal is.
func Print(w io.Writer, text string) error {
	if _, err := io.WriteString(w, folded(text, columns(w))); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// described is a call in words, by a name: who wants what, what that does, why it asks, and all that
// would run.
func described(name string, c permission.Call, look *permission.Look, now time.Time) string {
	var b strings.Builder
	of := " (a tool of the agent's own)"
	if c.ServerID != nil {
		of = " on " + Visible(*c.ServerID)
	}
	fmt.Fprintf(&b, "%s  %s\n  %s wants to %s %s%s\n", name, c.ID, Visible(c.AgentName), doing(c.Method),
		Visible(c.ToolName), of)
	if look != nil && look.Summary.Text != "" {
		fmt.Fprintf(&b, "  it %s\n", Visible(look.Summary.Text))
	}
	showRisk(&b, c)
	if c.Cwd != nil && *c.Cwd != "" {
		fmt.Fprintf(&b, "  in the folder %s\n", Visible(*c.Cwd))
	}
	if c.Description != "" {
		fmt.Fprintf(&b, "  in the agent's words, unchecked:\n%s", Quoted(c.Description))
	}
	showLook(&b, look)
	if c.InputWiped {
		b.WriteString("  its input was removed\n")
	} else {
		fmt.Fprintf(&b, "  with the input:\n%s", Quoted(indented(c.Input)))
	}
	showEnvelope(&b, c.Envelope)
	showData(&b, c.ResumeSchema, c.Why.NotChecked)
	showCovers(&b, c.Covers)
	if c.CallerGone {
		b.WriteString("  The agent has stopped waiting: approved, it runs once when the agent asks again.\n")
	}
	if !c.ExpiresAt.IsZero() && c.Status == permission.Pending {
		fmt.Fprintf(&b, "  expires by itself %s\n", moment(c.ExpiresAt.Std(), now))
	}
	return b.String()
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
	fmt.Fprintf(b, "  risk %s, asked because: %s\n", c.Risk, Visible(c.Why.Reason))
	for _, reason := range c.RiskReasons {
		fmt.Fprintf(b, "  the risk: %s", Visible(reason.Text))
		if words := at(c.Input, reason.At); words != "" {
			fmt.Fprintf(b, ": “%s”", Visible(permission.Short(words, maxWords)))
		}
		b.WriteString("\n")
	}
}

// maxWords bounds the words of an input that a reason is about.
const maxWords = 120

// at gives the words of an input at a place, or "" where there is none.
func at(input json.RawMessage, place *permission.InputPlace) string {
	if place == nil {
		return ""
	}
	var value any
	if json.Unmarshal(input, &value) != nil {
		return ""
	}
	for step := range strings.SplitSeq(strings.TrimPrefix(place.Pointer, "/"), "/") {
		if place.Pointer == "" {
			break
		}
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		switch inside := value.(type) {
		case map[string]any:
			value = inside[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(inside) {
				return ""
			}
			value = inside[i]
		default:
			return ""
		}
	}
	text, _ := value.(string)
	units := utf16.Encode([]rune(text))
	if place.Start < 0 || place.Start > place.End || place.End > len(units) {
		return ""
	}
	return string(utf16.Decode(units[place.Start:place.End]))
}

// showLook prints the parts of a line, the difference to a file, and what else the desk has
// found out.
func showLook(b *strings.Builder, look *permission.Look) {
	if look == nil {
		return
	}
	for _, f := range look.Flags {
		fmt.Fprintf(b, "  what its tool says of itself has characters that deceive: %s\n", Visible(strings.Join(f.Characters, " ")))
	}
	if c := look.Command; c != nil && len(c.Parts) > 0 {
		b.WriteString("  its parts:\n")
		for i, p := range c.Parts {
			name := Visible(p.Name)
			if name == "" {
				name = "the shell"
			}
			fmt.Fprintf(b, "  %3d. %s %s%s\n", i+1, name, show.EffectsText(p.Effects), writes(p.Writes))
		}
	}
	showFile(b, look.File)
	if look.Last != nil && look.Last.Same {
		fmt.Fprintf(b, "  its input is that of %s, which was approved\n", look.Last.CallID)
	}
}

// writes names the files that a part writes.
func writes(files []string) string {
	var named []string
	for _, f := range files {
		if f != "" {
			named = append(named, Visible(f))
		}
	}
	if len(named) == 0 {
		return ""
	}
	return ": " + strings.Join(named, ", ")
}

func showFile(b *strings.Builder, f *permission.FileLook) {
	if f == nil {
		return
	}
	fmt.Fprintf(b, "  the file %s", Visible(f.Path))
	if f.Resolved != "" && f.Resolved != f.Path {
		fmt.Fprintf(b, ", which is %s", Visible(f.Resolved))
	}
	if f.Reason != "" {
		fmt.Fprintf(b, " (%s)", Visible(f.Reason))
	}
	if len(f.Lines) == 0 {
		b.WriteString("\n")
		return
	}
	fmt.Fprintf(b, ", +%d −%d:\n", f.Added, f.Removed)
	sign := map[permission.LineKind]string{permission.LineSame: "  ", permission.LineAdded: "+ ", permission.LineRemoved: "− "}
	for _, l := range f.Lines {
		if l.Kind == permission.LineGap {
			fmt.Fprintf(b, "  … %d lines that stay\n", l.Count)
			continue
		}
		fmt.Fprintf(b, "  | %s%s\n", sign[l.Kind], Visible(l.Text))
	}
	if f.More > 0 {
		fmt.Fprintf(b, "  … %d more lines of the difference; the input below has all\n", f.More)
	}
}

// showCovers says what a yes of wider scope would let pass.
func showCovers(b *strings.Builder, covers *permission.Covers) {
	if covers == nil {
		return
	}
	if covers.Class != nil {
		fmt.Fprintf(b, "  a yes to its kind would let pass, in this session: %s\n", Visible(covers.Class.Text))
	}
	if covers.Session != nil {
		fmt.Fprintf(b, "  a yes for the session would let pass: %s\n", Visible(covers.Session.Text))
	}
}

// showEnvelope prints what the server gets beside the input.
func showEnvelope(b *strings.Builder, envelope json.RawMessage) {
	if len(envelope) == 0 || string(envelope) == "null" {
		return
	}
	fmt.Fprintf(b, "  beside the input, the server gets from the agent:\n%s", Quoted(indented(envelope)))
}

// showData says of a call that takes data with its answer what they are, and what of that
// the desk cannot check.
func showData(b *strings.Builder, schema json.RawMessage, notChecked []string) {
	if len(schema) == 0 || string(schema) == "null" {
		return
	}
	fmt.Fprintf(b,
		"  takes data with a yes, which only the desk in a browser can send: approved here, it goes without. Their JSON Schema:\n%s",
		Quoted(indented(schema)))
	if len(notChecked) > 0 {
		fmt.Fprintf(b, "  of it the desk does not check:\n%s", Quoted(strings.Join(notChecked, "\n")))
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

// moment says when something is, by the clock that now was read from: with its date
// unless that is today's.
func moment(at, now time.Time) string {
	at = at.In(now.Location())
	if at.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return "at " + at.Format(time.TimeOnly)
	}
	return "on " + at.Format("2006-01-02 at 15:04:05 (-07:00)")
}
