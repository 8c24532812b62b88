package connect

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
)

// State says where an entry stands.
type State string

// The states of an entry.
const (
	Direct State = "direct" // the client reaches the server itself; it can be moved
	Behind State = "behind" // it goes through the desk already
	Left   State = "left"   // it cannot be moved: Reason says why
)

// Entry is a tool server in a client's file.
type Entry struct {
	Path     []string // from the root of the file; the last is its key
	State    State
	Reason   string    // why it is left, in English; of one behind, why it cannot work
	Why      *Obstacle // Reason for a page that has its own words; nil where it has none
	Server   Server    // of a direct one: what it starts or talks to, with its id on the desk
	Fresh    bool      // the desk does not have Server yet
	ServerID string    // of a direct one and of one behind
}

// Key is what the client calls the entry.
func (e Entry) Key() string { return e.Path[len(e.Path)-1] }

// Options say how entries move. Program and Names are needed.
type Options struct {
	Program   string   // the absolute path of sekisho
	Desk      string   // a desk's URL to name in entries; "" lets sekisho find it
	URLs      []string // addresses of the desk: an entry with a URL there is behind it
	Agent     string   // the agent that the client speaks as; "" is the client's id
	TokenFile string   // the agent's, to name in entries; "" lets sekisho find it by Agent
	Places    Places
	Names     *Names
	LookPath  func(command, folder string) (string, error) // nil is LookPath
	Leave     map[string]string                            // reasons to leave entries, by PathKey
}

// PathKey names an entry's path in Options.Leave.
func PathKey(path []string) string { return strings.Join(path, "\x00") }

// Plan is what connecting would make of a file.
type Plan struct {
	File       File
	Agent      string
	Entries    []Entry
	After      []byte // the file's bytes afterwards; the same when nothing moves
	Difference string // unified, secrets masked; "" when nothing moves

	sides sides    // of Difference
	desk  deskMark // of the desk that its servers go to, where it was asked
}

// Moves gives the entries that move.
func (p *Plan) Moves() []Entry {
	return slices.DeleteFunc(slices.Clone(p.Entries), func(e Entry) bool { return e.State != Direct })
}

// know notes which desk it is, and how that has the servers of entries that move.
func (p *Plan) know(desk deskMark, have []Server) {
	p.desk = desk
	for i := range p.Entries {
		e := &p.Entries[i]
		if at := slices.IndexFunc(have, func(s Server) bool { return s.ID == e.ServerID }); at >= 0 && e.State == Direct {
			e.Server.Revision = have[at].Revision
		}
	}
}

// planner plans one file.
type planner struct {
	file File
	opts Options
}

// Make plans the move of all entries of a file. The error says why the file is left
// alone.
func Make(file File, o Options) (*Plan, error) {
	if file.Err != nil {
		return nil, file.Err
	}
	if o.LookPath == nil {
		o.LookPath = LookPath
	}
	if o.Agent == "" {
		o.Agent = file.Client.ID
	}
	doc, err := readDocument(&file.Client, string(file.Content))
	if err != nil {
		return nil, err
	}
	p := &planner{file: file, opts: o}
	plan := &Plan{File: file, Agent: o.Agent, After: file.Content}
	var edits []edit
	entries := doc.entries(&file.Client)
	if len(entries) > maxEntries {
		return nil, fmt.Errorf("this file has more than %d tool servers", maxEntries)
	}
	for _, e := range entries {
		planned, made := p.entry(&e)
		plan.Entries = append(plan.Entries, planned)
		edits = append(edits, made...)
	}
	if len(edits) == 0 {
		return plan, nil
	}
	if plan.sides.from = redact(doc, &file.Client); plan.sides.from == "" {
		return nil, errors.New("it is written in a way that cannot be shown without its secrets: move its entries by hand")
	}
	after, err := p.apply(doc, edits, plan.Moves())
	if err != nil {
		return nil, err
	}
	plan.After = []byte(after.src)
	plan.sides.to = redact(after, &file.Client)
	plan.Difference = plan.sides.unified(file.Path)
	return plan, nil
}

// entry plans one entry.
func (p *planner) entry(e *entry) (Entry, []edit) {
	out := Entry{Path: e.path}
	if id, program, ok := p.behind(e); ok {
		out.State, out.ServerID = Behind, id
		if program != "" && program != p.opts.Program {
			if _, err := p.opts.LookPath(program, p.file.folderOf(e.path)); err != nil {
				out.Reason = err.Error()
			}
		}
		return out, nil
	}
	left := func(err error) (Entry, []edit) {
		out := Entry{Path: e.path, State: Left, Reason: err.Error()}
		errors.As(err, &out.Why)
		return out, nil
	}
	if reason, ok := p.opts.Leave[PathKey(e.path)]; ok {
		return left(errors.New(reason))
	}
	server, err := p.definition(e)
	if err != nil {
		return left(err)
	}
	if _, err := e.edits(p.changes(e, "x")); err != nil {
		return left(err)
	}
	server.ID, out.Fresh = p.opts.Names.Assign(e.key(), server)
	edits, err := e.edits(p.changes(e, server.ID))
	if err != nil {
		return left(err)
	}
	out.State, out.Server, out.ServerID = Direct, server, server.ID
	return out, edits
}

// behind reports whether an entry goes through the desk, as which server, and which
// program it starts for that.
func (p *planner) behind(e *entry) (id, program string, ok bool) {
	if field := p.file.Client.dialect.url(e.value); field != "" {
		url, _ := e.value[field].(string)
		for _, desk := range p.opts.URLs {
			if rest, ok := strings.CutPrefix(url, strings.TrimRight(desk, "/")+"/mcp"); ok && (rest == "" || rest[0] == '/') {
				return strings.TrimPrefix(rest, "/"), "", true
			}
		}
		return "", "", false
	}
	line, _, err := commandLine(e.value, p.file.Client.dialect)
	if err != nil || len(line) < 2 || line[1] != "mcp" {
		return "", "", false
	}
	name := strings.TrimSuffix(strings.ToLower(path.Base(strings.ReplaceAll(line[0], `\`, "/"))), ".exe")
	if line[0] != p.opts.Program && name != "sekisho" {
		return "", "", false
	}
	for i, arg := range line {
		if id, ok := strings.CutPrefix(arg, "--server="); ok {
			return id, line[0], true
		}
		if arg == "--server" && i+1 < len(line) {
			return line[i+1], line[0], true
		}
	}
	return "", "", false
}

// arguments are those of sekisho for a server.
func (p *planner) arguments(id string) []string {
	args := []string{"mcp", "--server", id, "--agent", p.opts.Agent}
	if p.opts.TokenFile != "" {
		args = append(args, "--token-file", p.opts.TokenFile)
	}
	if p.opts.Desk != "" {
		args = append(args, "--desk", p.opts.Desk)
	}
	return args
}

// changes are those that put an entry behind the desk.
func (p *planner) changes(e *entry, id string) []change {
	d, args := p.file.Client.dialect, p.arguments(id)
	list := quoteList(args)
	first := change{field: "command", raw: quote(p.opts.Program)}
	if d.commandList {
		first.raw = quoteList(append([]string{p.opts.Program}, args...))
	}
	if _, nested := e.value["command"].(map[string]any); nested {
		first.raw = `{ "path": ` + quote(p.opts.Program) + `, "args": ` + list + ` }`
		return append([]change{first}, drops(e.value, d.environment, "args", "cwd")...)
	}
	var all []change
	url := d.url(e.value)
	if url != "" {
		first.field, first.name = url, "command"
		if e.value["type"] != nil {
			all = append(all, change{field: "type", raw: quoteIf(d.local)})
		}
		all = append(all, drops(e.value, slices.Concat(d.headers, d.urlOnly, d.urls, helpers, signIn)...)...)
		all = slices.DeleteFunc(all, func(c change) bool { return c.field == url })
	}
	all = append([]change{first}, all...)
	switch _, there := e.value["args"]; {
	case d.commandList:
	case there:
		all = append(all, change{field: "args", raw: list})
	default:
		all = append(all, change{field: "args", raw: list, after: first.field})
	}
	return append(all, drops(e.value, append([]string{d.environment, "cwd"}, d.programOnly...)...)...)
}

func quoteIf(s string) string {
	if s == "" {
		return ""
	}
	return quote(s)
}

// drops are changes that take away those fields that are there.
func drops(value map[string]any, fields ...string) []change {
	var all []change
	for _, field := range fields {
		if _, there := value[field]; there {
			all = append(all, change{field: field})
		}
	}
	return all
}

// apply makes the edits, reads the result and holds it against what was meant: each
// moved entry as it should be, and all else as it was.
func (p *planner) apply(doc *document, edits []edit, moves []Entry) (*document, error) {
	src, err := apply(doc.src, edits)
	if err != nil {
		return nil, err
	}
	after, err := readDocument(&p.file.Client, src)
	if err != nil {
		return nil, fmt.Errorf("what would be written could not be read: %w", err)
	}
	for _, m := range moves {
		e, _ := doc.entry(m.Path)
		put(doc.root, m.Path, p.moved(e.value, p.changes(&e, m.ServerID)))
	}
	if !reflect.DeepEqual(doc.root, after.root) {
		return nil, errors.New("it is written in a way that cannot be changed safely: move its entries by hand")
	}
	return after, nil
}

// moved is the decoded entry after its changes.
func (p *planner) moved(value map[string]any, changes []change) map[string]any {
	out := maps.Clone(value)
	for _, c := range changes {
		delete(out, c.field)
	}
	for _, c := range changes {
		if c.raw == "" {
			continue
		}
		name := c.field
		if c.name != "" {
			name = c.name
		}
		n, err := readJSON(`{"v":`+c.raw+`}`, jsonDialect{})
		if err == nil {
			out[name] = n.members[0].value.decoded()
		}
	}
	return out
}
