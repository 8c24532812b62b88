package tool

// Level is how far commands are confined.
type Level string

// The levels of confinement.
const (
	LevelFull  Level = "full"  // files, processes, network and sockets
	LevelFiles Level = "files" // files alone, and of the rest not all
	LevelNone  Level = "none"
)

// Confinement is how far commands are confined on this machine, and what of it is missing.
type Confinement struct {
	Level   Level    `json:"level"`
	Missing []string `json:"missing"`

	spaces spaces
}

// spaces are the namespaces that can be made.
type spaces struct{ user, pid, net bool }
