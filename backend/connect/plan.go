package connect

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"

	"sekisho/backend/conftext"
	"sekisho/backend/environ"
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

	Missing environ.Missing `json:",omitzero"`  // variables that the client starts it with, and the desk does not
	Carried []string        `json:",omitempty"` // those that go to the desk with it
	Limit   string          `json:",omitempty"` // the field of the client's own limit on a call, which is below the desk's

	Hook bool `json:",omitempty"` // it is no tool server, but what makes the client ask about its own tools
}

// Key is what the client calls the entry.
func (e Entry) Key() string { return e.Path[len(e.Path)-1] }

// Options say how entries move. Program and Names are needed.
type Options struct {
	Program   string   // the absolute path of sekisho
	Desk      string   // a desk's URL to name in entries; "" lets sekisho find it
	URLs      []string // addresses of the desk: an entry with a URL there is behind it
	Agent     string   // the agent that the client speaks as; "" is the client's id
	TokenFile string   // the agent's, to name in hooks; "" lets sekisho find it by Agent
	NameToken bool     // entries name it too: a client does not hand on the variable that leads there
	Places    Places
	Names     *Names
	LookPath  func(command, folder string) (string, error) // nil is LookPath
	Leave     map[string]string                            // reasons to leave entries, by PathKey
	Hooked    []string                                     // files whose hooks are to be written before this one
	Inherited []string                                     // variables that the desk hands on by itself; nil: not known
	Carry     []string                                     // variables to carry to the desk with the servers that would miss them
	Starts    map[string]time.Duration                     // how long servers take to start, by PathKey, where that is known
	Limits    bool                                         // raise the clients' own limits to what the desk waits
	Hooks     bool                                         // make the client ask about its own tools too, where that is known
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

// Written gives the lines that the client will start for entries that move, as its file has
// them, by PathKey.
func (p *Plan) Written() (map[string][]string, error) {
	doc, err := readDocument(&p.File.Client, string(p.After))
	if err != nil {
		return nil, err
	}
	lines := map[string][]string{}
	for _, m := range p.Moves() {
		if e, ok := doc.Entry(m.Path); ok && !m.Hook {
			if lines[PathKey(m.Path)], _, err = commandLine(e.Value, p.File.Client.dialect); err != nil {
				return nil, err
			}
		}
	}
	return lines, nil
}

// Compare gives what connecting would change.
func (p *Plan) Compare() Difference { return p.sides.compare() }

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
	if file.hook != nil && (file.new || file.hook.own != nil) {
		return makeOwn(file, o)
	}
	doc, err := readDocument(&file.Client, string(file.Content))
	if err != nil {
		return nil, err
	}
	p := &planner{file: file, opts: o}
	plan := &Plan{File: file, Agent: o.Agent, After: file.Content}
	var edits []conftext.Edit
	entries := entriesOf(doc, &file.Client)
	if len(entries) > maxEntries {
		return nil, fmt.Errorf("this file has more than %d tool servers", maxEntries)
	}
	for _, e := range entries {
		planned, made := p.entry(&e)
		plan.Entries = append(plan.Entries, planned)
		edits = append(edits, made...)
	}
	if len(edits) == 0 {
		return plan, plan.addHook(&o, doc)
	}
	if plan.sides.from = redact(doc, &file.Client); plan.sides.from == "" {
		return nil, errors.New("it is written in a way that cannot be shown without its secrets: move its entries by hand")
	}
	after, err := p.apply(doc, edits, plan.Moves())
	if err != nil {
		return nil, err
	}
	plan.After = []byte(after.Src)
	plan.sides.to = redact(after, &file.Client)
	plan.Difference = plan.sides.unified(file.Path)
	return plan, plan.addHook(&o, after)
}

// entry plans one entry.
func (p *planner) entry(e *conftext.Entry) (Entry, []conftext.Edit) {
	out := Entry{Path: e.Path}
	if id, program, ok := p.behind(e); ok {
		out.State, out.ServerID = Behind, id
		if program != "" && program != p.opts.Program {
			if _, err := p.opts.LookPath(program, p.file.folderOf(e.Path)); err != nil {
				out.Reason = err.Error()
			}
		}
		return out, nil
	}
	left := func(err error) (Entry, []conftext.Edit) {
		err = asObstacle(err)
		out := Entry{Path: e.Path, State: Left, Reason: err.Error()}
		errors.As(err, &out.Why)
		return out, nil
	}
	if reason, ok := p.opts.Leave[PathKey(e.Path)]; ok {
		return left(errors.New(reason))
	}
	server, err := definition(e, &filler{client: p.file.Client, places: p.opts.Places, folder: p.file.folderOf(e.Path)}, p.opts.LookPath)
	if err != nil {
		return left(err)
	}
	if _, err := e.Edits(p.changes(e, "x")); err != nil {
		return left(err)
	}
	out.Missing, out.Carried = p.opts.Places.carry(&server, p.file.Client.ID, e.Key(), p.opts.Inherited, p.opts.Carry)
	if p.file.Client.dialect.short(e) {
		out.Limit = p.file.Client.dialect.limit.field
	}
	server.ID, out.Fresh = p.opts.Names.Assign(e.Key(), server)
	edits, err := e.Edits(p.changes(e, server.ID))
	if err != nil {
		return left(err)
	}
	out.State, out.Server, out.ServerID = Direct, server, server.ID
	return out, edits
}

// behind reports whether an entry goes through the desk, as which server, and which
// program it starts for that.
func (p *planner) behind(e *conftext.Entry) (id, program string, ok bool) {
	if field := p.file.Client.dialect.url(e.Value); field != "" {
		url, _ := e.Value[field].(string)
		for _, desk := range p.opts.URLs {
			if rest, ok := strings.CutPrefix(url, strings.TrimRight(desk, "/")+"/mcp"); ok && (rest == "" || rest[0] == '/') {
				return strings.TrimPrefix(rest, "/"), "", true
			}
		}
		return "", "", false
	}
	line, _, err := commandLine(e.Value, p.file.Client.dialect)
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
	if p.opts.NameToken {
		args = append(args, "--token-file", p.opts.TokenFile)
	}
	if p.opts.Desk != "" {
		args = append(args, "--desk", p.opts.Desk)
	}
	return args
}

// changes are those that put an entry behind the desk.
func (p *planner) changes(e *conftext.Entry, id string) []conftext.Change {
	d, args := p.file.Client.dialect, p.arguments(id)
	list := conftext.QuoteList(args)
	first := conftext.Change{Field: "command", Raw: conftext.Quote(p.opts.Program)}
	if d.commandList {
		first.Raw = conftext.QuoteList(append([]string{p.opts.Program}, args...))
	}
	if _, nested := e.Value["command"].(map[string]any); nested {
		first.Raw = `{ "path": ` + conftext.Quote(p.opts.Program) + `, "args": ` + list + ` }`
		return append([]conftext.Change{first}, drops(e.Value, d.environment, "args", "cwd")...)
	}
	var all []conftext.Change
	url := d.url(e.Value)
	if url != "" {
		first.Field, first.Name = url, "command"
		if e.Value["type"] != nil {
			all = append(all, conftext.Change{Field: "type", Raw: quoteIf(d.local)})
		}
		all = append(all, drops(e.Value, slices.Concat(d.headers, d.urlOnly, d.urls, helpers, signIn)...)...)
		all = slices.DeleteFunc(all, func(c conftext.Change) bool { return c.Field == url })
	}
	all = append([]conftext.Change{first}, all...)
	switch _, there := e.Value["args"]; {
	case d.commandList:
	case there:
		all = append(all, conftext.Change{Field: "args", Raw: list})
	default:
		all = append(all, conftext.Change{Field: "args", Raw: list, After: first.Field})
	}
	if p.opts.Limits {
		all = append(all, d.raise(e, first.Field, p.opts.Starts[PathKey(e.Path)])...)
	}
	return append(all, drops(e.Value, append([]string{d.environment, "cwd"}, d.programOnly...)...)...)
}

func quoteIf(s string) string {
	if s == "" {
		return ""
	}
	return conftext.Quote(s)
}

// drops are changes that take away those fields that are there.
func drops(value map[string]any, fields ...string) []conftext.Change {
	var all []conftext.Change
	for _, field := range fields {
		if _, there := value[field]; there {
			all = append(all, conftext.Change{Field: field})
		}
	}
	return all
}

// apply makes the edits, reads the result and holds it against what was meant: each
// moved entry as it should be, and all else as it was.
func (p *planner) apply(doc *conftext.Document, edits []conftext.Edit, moves []Entry) (*conftext.Document, error) {
	src, err := conftext.Apply(doc.Src, edits)
	if err != nil {
		return nil, err
	}
	after, err := readDocument(&p.file.Client, src)
	if err != nil {
		return nil, fmt.Errorf("what would be written could not be read: %w", err)
	}
	for _, m := range moves {
		e, _ := doc.Entry(m.Path)
		conftext.Put(doc.Root, m.Path, p.moved(e.Value, p.changes(&e, m.ServerID)))
	}
	if !reflect.DeepEqual(doc.Root, after.Root) {
		return nil, errors.New("it is written in a way that cannot be changed safely: move its entries by hand")
	}
	return after, nil
}

// moved is the decoded entry after its changes.
func (p *planner) moved(value map[string]any, changes []conftext.Change) map[string]any {
	out := maps.Clone(value)
	for _, c := range changes {
		delete(out, c.Field)
	}
	for _, c := range changes {
		if c.Raw == "" {
			continue
		}
		name := c.Field
		if c.Name != "" {
			name = c.Name
		}
		if d, err := conftext.Read(`{"v":`+c.Raw+`}`, conftext.Dialect{}); err == nil {
			out[name] = d.Root["v"]
		}
	}
	return out
}

// NoServer reports whether an entry that is left where it is starts and reaches no server.
func (e Entry) NoServer() bool { return e.Why != nil && e.Why.Code == noServer }
