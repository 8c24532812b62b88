package permission

import "strings"

// Sight names what a tool was at a time: how its server is started or reached, and the
// definition that was seen last, by their hashes with a space between them. "" is nothing.
type Sight string

// SightOf names a tool by the hash of its server's launch and that of its definition.
func SightOf(launch, definition string) Sight { return Sight(launch + " " + definition) }

// Turned reports whether a tool is now another than it was. What was not known then, or is
// not known now, is no change.
func (s Sight) Turned(now Sight) bool {
	launch, definition, _ := strings.Cut(string(s), " ")
	launchNow, definitionNow, _ := strings.Cut(string(now), " ")
	other := func(a, b string) bool { return a != "" && b != "" && a != b }
	return other(launch, launchNow) || other(definition, definitionNow)
}

// TextKind says how characters of a text deceive its reader.
type TextKind string

// The kinds of deceiving characters.
const (
	TextTags      TextKind = "tags"      // the block of tags, which spells hidden text
	TextDirection TextKind = "direction" // marks that change the order in which letters are shown
	TextHidden    TextKind = "hidden"    // controls, fillers and others that nobody sees
	TextLookAlike TextKind = "lookAlike" // letters and signs that pass for others
)

// TextFlag tells of deceiving characters of one kind in one text of a tool's definition.
type TextFlag struct {
	At         string   `json:"at" doc:"a JSON Pointer into the tool's definition; of a member's name, to the member"`
	Kind       TextKind `json:"kind"`
	Count      int      `json:"count"`
	Characters []string `json:"characters" doc:"each once, as U+200B; at most 8"`
	LooksLike  string   `json:"looksLike" doc:"of the tool's name, what it looks like to a reader of ASCII; else empty"`
}

// ToolChange says what of a tool changed since it was first allowed.
type ToolChange string

// The changes of a tool; "" is none.
const (
	ChangedDefinition ToolChange = "definition" // anything that the server's list says of it
	ChangedLaunch     ToolChange = "launch"     // how its server is started or reached
	ChangedBoth       ToolChange = "both"
	ChangedUnknown    ToolChange = "unknown" // nothing says that it did not, and no difference can be shown
)
