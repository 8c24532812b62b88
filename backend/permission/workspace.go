package permission

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Execution says where the tools of a workspace run.
type Execution string

// The executions.
const (
	ExecutionDesk   Execution = "desk"   // by a process that the desk starts
	ExecutionClient Execution = "client" // by an executor, which has the files
)

// Executions lists every execution.
var Executions = [...]Execution{ExecutionDesk, ExecutionClient}

// lowRule is what the id of a workspace has behind it in that of its rule.
const lowRule = "-low"

// Bounds of a workspace's entry.
const (
	maxWorkspaceID    = 64 - len(lowRule)
	maxFolderBytes    = 4096
	maxUsers          = 1000
	maxProgramFolders = 32
)

// IsWorkspace reports whether the server is a workspace: a folder with the four file and command
// tools.
func (s *Server) IsWorkspace() bool { return s.Transport == TransportWorkspace }

// IsProcess reports whether the desk starts a process for each connection to the server.
func (s *Server) IsProcess() bool { return s.Transport == TransportStdio || s.IsWorkspace() }

// RunsHere reports whether the server is a workspace whose tools the desk runs.
func (s *Server) RunsHere() bool { return s.IsWorkspace() && s.Execution == ExecutionDesk }

// LowRule is the rule that comes with a workspace: what changes nothing runs without asking. Without
// it reads ask, too.
func (s *Server) LowRule(at Time) Rule {
	id, condition := s.ID, `risk == "low"`
	return Rule{ID: RuleID(id + lowRule), ServerID: &id, AutoApprove: true, Effect: Allow, Priority: 1, Condition: &condition, Enabled: true,
		Note:     "Came with the workspace " + id + ": what changes nothing runs without asking. Delete it, and reads ask.",
		Examples: []Example{}, CreatedAt: at, UpdatedAt: at}
}

// IsLowRule reports whether a rule still is the one that came with the workspace, but for its note
// and whether it is on.
func (s *Server) IsLowRule(r *Rule) bool {
	own := s.LowRule(0)
	return r.ID == own.ID && r.ServerID != nil && *r.ServerID == s.ID && r.Effect == Allow && r.ToolName == nil && r.ToolPattern == nil &&
		r.Method == nil && r.Condition != nil && *r.Condition == *own.Condition && r.Limit == nil
}

// validWorkspace looks at the entry alone; what its folder is on the disk, the desk looks at.
func (s *Server) validWorkspace() error {
	switch {
	case len(s.ID) > maxWorkspaceID:
		return Invalid("id", FieldTooLong, "the id of a workspace has at most 60 characters").With(Param("maxBytes", maxWorkspaceID))
	case s.Command != "" || len(s.Args)+len(s.Env)+len(s.Headers) > 0 || s.URL != "":
		return Invalid("command", FieldWorkspaceCommand, "a workspace has a folder, and no command, arguments, environment, address or headers")
	case !slices.Contains(Executions[:], s.Execution):
		return Invalid("execution", FieldNotOneOf, "who executes is desk or client")
	case !plainText(s.Cwd, maxFolderBytes):
		return Invalid("cwd", FieldFolderForm, "a workspace needs the absolute path of its folder, without links, . and ..")
	case s.Execution == ExecutionDesk && !plainFolder(s.Cwd):
		return Invalid("cwd", FieldFolderForm, "a workspace needs the absolute path of its folder, without links, . and ..")
	}
	if err := s.validUsers(); err != nil {
		return err
	}
	return s.validPrograms()
}

func (s *Server) validUsers() error {
	if len(s.Users) > maxUsers {
		return Invalid("users", FieldTooMany, "a workspace names at most 1,000 users").With(Param("max", maxUsers))
	}
	for i, user := range s.Users {
		switch {
		case !plainText(user, MaxNameBytes):
			return Invalid("users", FieldNameForm, "a user has a name of at most 256 bytes")
		case slices.Contains(s.Users[:i], user):
			return Invalid("users", FieldDuplicate, "a user is named twice")
		}
	}
	return nil
}

// validPrograms refuses folders that programs are to be looked for in beside those of the system: an
// agent that could write there could bring its own.
func (s *Server) validPrograms() error {
	switch {
	case len(s.ProgramFolders) > maxProgramFolders:
		return Invalid("programFolders", FieldTooMany, "at most 32 folders of programs").With(Param("max", maxProgramFolders))
	case len(s.ProgramFolders) > 0 && s.Execution != ExecutionDesk:
		return Invalid("programFolders", FieldProgramFolder, "folders of programs are of a workspace that the desk executes")
	}
	for i, folder := range s.ProgramFolders {
		switch {
		case !plainText(folder, maxFolderBytes), !plainFolder(folder), strings.ContainsRune(folder, filepath.ListSeparator),
			folder == s.Cwd, strings.HasPrefix(folder, s.Cwd+string(filepath.Separator)):
			return Invalid("programFolders", FieldProgramFolder, "a folder of programs is an absolute path outside of the workspace")
		case slices.Contains(s.ProgramFolders[:i], folder):
			return Invalid("programFolders", FieldDuplicate, "a folder of programs is named twice")
		}
	}
	return nil
}

// plainFolder reports whether a path is absolute and leads somewhere else than to a root, without
// needless parts.
func plainFolder(path string) bool {
	return filepath.IsAbs(path) && filepath.Clean(path) == path && filepath.Dir(path) != path
}

// plainText reports whether a text is short, not empty and without what does not show.
func plainText(text string, most int) bool {
	return text != "" && len(text) <= most && utf8.ValidString(text) && strings.TrimSpace(text) == text &&
		!strings.ContainsFunc(text, unicode.IsControl)
}

// ConfinementLevel is how far the commands of a workspace are kept from what lies outside of it.
type ConfinementLevel string

// The levels of confinement.
const (
	ConfinedFully ConfinementLevel = "full"  // files, processes, network and sockets
	ConfinedFiles ConfinementLevel = "files" // files, and of the rest not all
	Unconfined    ConfinementLevel = "none"
)

// ConfinementLevels lists every level.
var ConfinementLevels = [...]ConfinementLevel{ConfinedFully, ConfinedFiles, Unconfined}

// Confinement is what was found of a workspace when its tools were last tried.
type Confinement struct {
	Level    ConfinementLevel `json:"level" doc:"full: files, processes, network and sockets; files: files, and of the rest not all; none"`
	Missing  []string         `json:"missing" doc:"what this machine does not have of it"`
	Programs []ProgramState   `json:"programs" doc:"each listed program as it was tried; empty while that goes on"`
	Trouble  string           `json:"trouble" doc:"why nothing is known, or empty"`
}

// ProgramState is whether a listed program can be started.
type ProgramState struct {
	Name    string `json:"name"`
	Missing bool   `json:"missing" doc:"it is in none of the folders where programs are looked for"`
	Trouble string `json:"trouble" doc:"why it does not work, or empty"`
}
