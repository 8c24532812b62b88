package permission

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
)

// Look is what the desk can say of a call beside its bytes. It is worked out of the
// call's input and of the disk as it is now. A part is nil where it does not apply.
type Look struct {
	Summary Summary      `json:"summary"`
	File    *FileLook    `json:"file"`
	Command *CommandLook `json:"command"`
	Last    *LastLook    `json:"last"`
	// Workspace is left out of a call of any other server.
	Workspace *WorkspaceLook `json:"workspace,omitempty"`
	Flags     []TextFlag     `json:"flags" doc:"deceiving characters in what the call's tool says of itself"`
}

// WorkspaceLook is where a call of a workspace's tools runs. What is about a command is empty of any other
// call.
type WorkspaceLook struct {
	Folder      string           `json:"folder" doc:"of a workspace that a client executes: a text for people"`
	Execution   Execution        `json:"execution"`
	Program     string           `json:"program" doc:"that is started, or empty"`
	Verb        string           `json:"verb" doc:"its command, as git has them, or empty"`
	Network     bool             `json:"network" doc:"it is started with a network"`
	Confinement ConfinementLevel `json:"confinement,omitempty" doc:"how far the command is confined; left out where nothing is started"`
	Missing     []string         `json:"missing" doc:"what this machine lacks for full confinement"`
}

// FileState says how a file on the disk stands to what a call would write into it.
type FileState string

// The states of a file.
const (
	FileNew        FileState = "new"        // there is no such file
	FileChanged    FileState = "changed"    // the call would change it
	FileSame       FileState = "same"       // it holds already what the call would write
	FileBinary     FileState = "binary"     // it, or what would be written, is no text
	FileTooLarge   FileState = "too_large"  // it, or what would be written, is too large to compare
	FileNotAFile   FileState = "not_a_file" // a folder, a device, a pipe, a socket, a file of the kernel
	FileUnreadable FileState = "unreadable" // the desk cannot read it
	FileUnclear    FileState = "unclear"    // it cannot be told what would be written, or where
)

// FileLook is what a call that writes a file would change on the disk of the desk.
type FileLook struct {
	Path     string    `json:"path"`     // as the input has it
	Resolved string    `json:"resolved"` // absolute, links followed; "" where it is not known
	State    FileState `json:"state"`
	// Code is why the state is what it is, as a word for a client; "" where the state says all.
	Code   string `json:"code" enum:",adds,ambiguous,changing,dollars,dots,edits,error,folder,forbidden,home,kernel,large,line_ends,line_goes,links,lookalike,many_matches,missing,no_folder,no_match,no_path,odd_path,other_members,relative,slow,special,too_many_edits"`
	Reason string `json:"reason"` // the same as a sentence
	// another one means that the file on the disk, or where the path leads, has changed; "" where the disk was not asked or does not answer
	Version string     `json:"version"`
	Size    int64      `json:"size"`  // bytes on the disk now
	Added   int        `json:"added"` // lines, all of them
	Removed int        `json:"removed"`
	Lines   []DiffLine `json:"lines"`
	More    int        `json:"more"` // lines of the difference that the answer leaves out at its end
}

// LineKind is the part that a line has in a difference.
type LineKind string

// The kinds of lines.
const (
	LineSame    LineKind = "same"
	LineAdded   LineKind = "added"
	LineRemoved LineKind = "removed"
	LineGap     LineKind = "gap" // stands for lines that are left out
)

// Ending is how a line ends.
type Ending string

// The ends of lines. One that ends otherwise ends with a line feed.
const (
	EndingCRLF Ending = "crlf" // carriage return and line feed
	EndingNone Ending = "none" // the last line, without an end
)

// DiffLine is one line of a difference.
type DiffLine struct {
	Kind   LineKind `json:"kind"`
	Text   string   `json:"text"`   // without its end
	Old    int      `json:"old"`    // its number in the file as it is, from 1; 0 is none
	New    int      `json:"new"`    // its number in the file as it would be
	Count  int      `json:"count"`  // of a gap: the lines left out
	Ending Ending   `json:"ending"` // "" is a line feed
}

// PieceKind says what a piece of a command is to a shell.
type PieceKind string

// The kinds of pieces.
const (
	PieceProgram      PieceKind = "program"
	PieceOption       PieceKind = "option"
	PiecePath         PieceKind = "path"
	PieceWord         PieceKind = "word"
	PieceString       PieceKind = "string"
	PieceRedirect     PieceKind = "redirect"
	PieceOperator     PieceKind = "operator"
	PieceSubstitution PieceKind = "substitution"
	PieceAssignment   PieceKind = "assignment"
	PieceComment      PieceKind = "comment"
	PieceKeyword      PieceKind = "keyword"
	PieceBlank        PieceKind = "blank"
)

// CommandLook is a command in pieces that are together exactly its text.
type CommandLook struct {
	Text     string           `json:"text"`
	Parsed   bool             `json:"parsed"` // else Error says why not, and a piece is a line of the text
	Error    string           `json:"error"`
	Argv     bool             `json:"argv"`  // a program and its arguments, which no shell reads; Text has them with blanks between
	Lines    [][]CommandPiece `json:"lines"` // each simple command begins one
	Parts    []CommandPart    `json:"parts"` // as the rules and the risk judge them; none of a line that is not taken apart
	Programs []Program        `json:"programs"`
	More     int              `json:"more"`     // programs that are left out of these
	DeskPath bool             `json:"deskPath"` // names were looked for by the desk's own PATH; the one of whoever runs it is not known
	Cwd      string           `json:"cwd"`      // the folder that it runs in; "" where it is not known
}

// CommandPiece is one piece of a command.
type CommandPiece struct {
	Kind PieceKind `json:"kind"`
	Text string    `json:"text"`
}

// Places of programs that are no files.
const (
	ProgramBuiltin  = "builtin"  // the shell's own
	ProgramFunction = "function" // one that the command itself declares
)

// Program is a word of a command that names a program, and the file that it leads to,
// links followed: nil where there is none or where it cannot be told.
type Program struct {
	Word string  `json:"word"`
	Path *string `json:"path"`
}

// LastLook holds a call against the last one of the same agent, server and tool that a
// person approved, by the members of their inputs.
type LastLook struct {
	CallID    CallID    `json:"callId"`
	DecidedAt Time      `json:"decidedAt"`
	Same      bool      `json:"same"` // the inputs are the same JSON
	Cwd       *string   `json:"cwd"`  // the folder of the earlier call where it is another one, "" where it had none; nil: the same folder
	Changed   []Earlier `json:"changed"`
	Added     []string  `json:"added"`
	Removed   []Earlier `json:"removed"`
}

// Earlier is a member as it was in the earlier call.
type Earlier struct {
	Key    string `json:"key"`
	Before string `json:"before"` // the value as it was written
	Cut    bool   `json:"cut"`    // Before is only its beginning
}

// The first words of the version of a file.
const (
	VersionText    = "text"    // of its content, with its path
	VersionMissing = "missing" // of a file that is not there
	VersionStamp   = "stamp"   // of its place and its times, with its path: one that is too large to be shown
)

// FileVersion names what a file is, by what is said of it: the kind first, then its path.
func FileVersion(all ...string) string {
	h := sha256.New()
	for _, one := range all {
		io.WriteString(h, one) // a hash takes everything
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
