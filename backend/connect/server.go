package connect

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"sekisho/backend/permission"
)

// The transports of a Server.
const (
	Stdio = "stdio"
	HTTP  = "http"
)

// Server is a tool server as the desk's list has it (CONTRACT section 4). Env and
// Headers hold secrets.
type Server struct {
	ID        string            `json:"id"`
	Transport string            `json:"transport"`
	Command   string            `json:"command,omitempty"`
	Args      []string          `json:"args,omitempty"`
	Env       map[string]string `json:"env,omitempty"`
	Cwd       string            `json:"cwd,omitempty"`
	URL       string            `json:"url,omitempty"`
	Headers   map[string]string `json:"headers,omitempty"`
	Enabled   bool              `json:"enabled"`

	// Table says who may use which of its tools: a person has written it, since connecting adds none.
	Table permission.ToolPermissions `json:"toolPermissions,omitzero"`
	// Revision is another one when anything of the entry is, what masks hide included. The
	// desk gives it; "" tells nothing.
	Revision string `json:"revision,omitempty"`
}

// Masked is the server as the desk shows it: without the values of its secrets.
func (s Server) Masked() Server {
	s.Env, s.Headers = masked(s.Env), masked(s.Headers)
	return s
}

func masked(secrets map[string]string) map[string]string {
	if len(secrets) == 0 {
		return nil
	}
	out := make(map[string]string, len(secrets))
	for name := range secrets {
		out[name] = permission.Mask
	}
	return out
}

// Same reports whether two servers are one, but for their ids and for what masks hide.
func (s Server) Same(t Server) bool {
	a, b := s.Masked(), t.Masked()
	return a.Transport == b.Transport && a.Command == b.Command && slices.Equal(a.Args, b.Args) && a.Cwd == b.Cwd && a.URL == b.URL &&
		maps.Equal(a.Env, b.Env) && maps.Equal(a.Headers, b.Headers)
}

// kept reports whether the desk still has a server as it was when connecting added it. One with a table is
// the desk's own: connecting it again would bring it back without.
func (s Server) kept(was Server) bool {
	return s.Same(was) && s.Table == nil && (s.Revision == was.Revision || s.Revision == "" || was.Revision == "")
}

// Print tells two servers apart by all but their ids, secrets included.
func (s Server) Print() string {
	s.ID, s.Enabled, s.Revision, s.Table = "", true, "", nil
	raw, err := json.Marshal(s)
	if err != nil {
		return "" // strings and maps of strings: it cannot fail
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// text reports whether all of the server, and the key of its entry, can be written as
// JSON: all of it is UTF-8.
func (s Server) text(key string) bool {
	all := append([]string{key, s.Command, s.Cwd, s.URL}, s.Args...)
	for _, secrets := range []map[string]string{s.Env, s.Headers} {
		for name, value := range secrets {
			all = append(all, name, value)
		}
	}
	return !slices.ContainsFunc(all, func(t string) bool { return !utf8.ValidString(t) })
}

// Names gives servers their ids on the desk.
type Names struct {
	known map[string]Server // by id, masked
	print map[string]string // by id, where known
}

// NewNames knows the desk's servers, and the prints of those whose secrets are known.
func NewNames(servers []Server, prints map[string]string) *Names {
	n := &Names{known: map[string]Server{}, print: maps.Clone(prints)}
	if n.print == nil {
		n.print = map[string]string{}
	}
	for _, s := range servers {
		n.known[s.ID] = s.Masked()
	}
	return n
}

// Assign gives the id of a server: that of the same one if the desk has it, and on or off
// as this one is, else one close to the entry's key. fresh says that the desk does not have it yet.
func (n *Names) Assign(key string, s Server) (id string, fresh bool) {
	base := legalID(key)
	named := func(i int) string {
		if i == 1 {
			return base
		}
		return fmt.Sprintf("%s-%d", base, i)
	}
	for _, id := range slices.Sorted(maps.Keys(n.known)) {
		if old := n.known[id]; numbered(id, base) && old.Enabled == s.Enabled && old.Same(s) &&
			(n.print[id] == s.Print() || len(s.Env)+len(s.Headers) == 0) {
			return id, false
		}
	}
	for i := 1; ; i++ {
		if id = named(i); n.known[id].Transport == "" {
			n.known[id], n.print[id] = s.Masked(), s.Print()
			return id, true
		}
	}
}

// numbered reports whether an id is base, or base with a number.
func numbered(id, base string) bool {
	rest, ok := strings.CutPrefix(id, base)
	digits, dashed := strings.CutPrefix(rest, "-")
	return ok && (rest == "" || dashed && digits != "" && strings.Trim(digits, "0123456789") == "")
}

var illegal = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// legalID makes an id of a key; a legal key stays as it is.
func legalID(key string) string {
	if legal(key) {
		return key
	}
	id := strings.Trim(illegal.ReplaceAllString(key, "-"), "-")
	for strings.Contains(id, "__") {
		id = strings.ReplaceAll(id, "__", "_")
	}
	id = id[:min(len(id), 56)]
	if !legal(id) {
		id = strings.TrimRight("server-"+strings.Trim(id, ".-"), "-")
	}
	return id
}

func legal(id string) bool {
	s := permission.Server{ID: id, Transport: permission.TransportStdio, Command: "x"}
	return s.Valid() == nil
}

// LookPath gives the absolute path of a command as the client would find it now.
// A relative path is one of folder.
func LookPath(command, folder string) (string, error) {
	if strings.ContainsAny(command, `/`+string(filepath.Separator)) && !filepath.IsAbs(command) {
		if folder == "" {
			return "", &Obstacle{Code: commandRelative, Value: command}
		}
		command = filepath.Join(folder, command)
	}
	path, err := exec.LookPath(command)
	if err != nil || !filepath.IsAbs(path) {
		return "", &Obstacle{Code: commandMissing, Value: command}
	}
	return path, nil
}
