package policy

import (
	"path"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"sekisho/backend/command"
)

// The functions of conditions that look at lines and paths. What they need to know of the
// call is added to their arguments when a condition is compiled.
const (
	shellFunction = "shell"
	underFunction = "under"
	hostFunction  = "host"
	sqlFunction   = "sql"
	aboutVariable = "@about" // a name that no condition can write
)

var aboutType = cel.OpaqueType("sekisho.about")

// about is what the functions know of the call, as a value of CEL.
type about struct {
	types.Null
	lines *lines
	cwd   *string
	part  *command.Part // that stands in the place of the line, or that is all of it, or nil
	input []byte
}

// Type is the type of the value.
func (a *about) Type() ref.Type { return aboutType }

func lineFunctions() []cel.EnvOption {
	told := func(name string, args int) cel.Macro {
		return cel.GlobalMacro(name, args, func(f cel.MacroExprFactory, _ celast.Expr, args []celast.Expr) (celast.Expr, *cel.Error) {
			return f.NewCall(name, append(slices.Clone(args), f.NewIdent(aboutVariable))...), nil
		})
	}
	return []cel.EnvOption{
		cel.Macros(told(shellFunction, 1), told(underFunction, 2)),
		cel.Variable(aboutVariable, aboutType),
		cel.Function(shellFunction, cel.Overload("shell_string", []*cel.Type{cel.StringType, aboutType}, cel.DynType,
			cel.BinaryBinding(func(text, a ref.Val) ref.Val {
				return a.(*about).lines.text(string(text.(types.String)), false).value()
			}))),
		cel.Function(underFunction, cel.Overload("under_string_string", []*cel.Type{cel.StringType, cel.StringType, aboutType}, cel.BoolType,
			cel.FunctionBinding(func(args ...ref.Val) ref.Val {
				return types.Bool(args[2].(*about).under(string(args[0].(types.String)), string(args[1].(types.String))))
			}))),
		cel.Function(hostFunction, cel.Overload("host_string", []*cel.Type{cel.StringType}, cel.StringType,
			cel.UnaryBinding(func(address ref.Val) ref.Val { return types.String(HostOf(string(address.(types.String)))) }))),
		cel.Function(sqlFunction, cel.Overload("sql_string", []*cel.Type{cel.StringType}, cel.ListType(cel.StringType),
			cel.UnaryBinding(func(text ref.Val) ref.Val { return texts(SQLEffects(string(text.(types.String)))) }))),
	}
}

// shellValue is a line as conditions see it. Of one that cannot be known all is empty, so
// that nothing is true of its parts for want of them.
func shellValue(l *command.Line) ref.Val {
	parts, names, writes := []ref.Val{}, l.Names(), l.Writes()
	for i := range l.Parts {
		p := &l.Parts[i]
		parts = append(parts, partValue(p.Program, p.Verb, p.Name, p.Said(), p.Operands, p.Writes, p.Effects.Names(), p.Changes(), chosen(p)))
	}
	if l.Opaque {
		unknown := []string{""}
		parts, names, writes = []ref.Val{partValue("", "", "", unknown, unknown, unknown, unknown, unknown, unknown)}, unknown, unknown
	}
	return newObject(map[ref.Val]ref.Val{
		types.String("opaque"): types.Bool(l.Opaque),
		types.String("parts"):  types.NewRefValList(types.DefaultTypeAdapter, parts),
		types.String("names"):  texts(names),
		types.String("writes"): texts(writes),
	})
}

func partValue(program, verb, name string, options, operands, writes, effects, changes, chosen []string) ref.Val {
	return newObject(map[ref.Val]ref.Val{
		types.String("program"): types.String(program), types.String("verb"): types.String(verb), types.String("name"): types.String(name),
		types.String("options"): texts(options), types.String("operands"): texts(operands), types.String("writes"): texts(writes),
		types.String("effects"): texts(effects), types.String("changes"): texts(changes), types.String("chosen"): texts(chosen),
	})
}

// chosen are the words of a part that a rule must hold, with "" where they cannot be told.
func chosen(p *command.Part) []string {
	words, known := p.Unlisted()
	if !known {
		words = append(words, "")
	}
	return words
}

func texts(list []string) ref.Val {
	values := make([]ref.Val, len(list))
	for i, text := range list {
		values[i] = types.String(text)
	}
	return types.NewRefValList(types.DefaultTypeAdapter, values)
}

// under reports whether a path is a folder or lies below it, by their names alone. It is
// false where that cannot be told. A relative path must lie there from the folder of the call,
// from that which its input names, and from that of the part of a line.
func (a *about) under(file, folder string) bool {
	return Under(file, folder, a.folders())
}

// Under reports whether a path is a folder or lies below it, from each of some folders that
// it may be relative to.
func Under(file, folder string, from []string) bool {
	folder, ok := absolute(folder, from[0])
	for _, cwd := range from {
		file, told := absolute(file, cwd)
		ok = ok && told && (file == folder || strings.HasPrefix(file, strings.TrimSuffix(folder, "/")+"/"))
	}
	return ok
}

// folders are those that a relative path may be of: the call's, that which its input names,
// and that of the part. One that cannot be told is "".
func (a *about) folders() []string {
	from := []string{""}
	if a.cwd != nil {
		from[0] = *a.cwd
	}
	if members, err := membersOf(a.input); err != nil {
		from = append(from, "")
	} else if at, known := folderOf(from[0], members); !known {
		from = append(from, "")
	} else if at != from[0] && a.cwd == nil {
		from[0] = at
	} else if at != from[0] {
		from = append(from, at)
	}
	if a.part != nil && a.part.Lost {
		from = append(from, "")
	} else if a.part != nil && a.part.Folder != "" {
		at, _ := absolute(a.part.Folder, from[len(from)-1])
		from = append(from, at)
	}
	return from
}

// hostSchemes are those of addresses whose host is asked: with file:// or another one, what
// stands in its place may say nothing of what is read.
var hostSchemes = []string{"http", "https", "ws", "wss"}

// HostOf is the host of an address without its port, in small letters, or "" where that
// cannot be told: of another scheme than those of the web, with a name before the host, or
// with signs that no host has.
func HostOf(address string) string {
	scheme, rest, found := strings.Cut(address, "://")
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	host, port := strings.ToLower(rest), ""
	if colon := strings.LastIndexByte(host, ':'); colon >= 0 && !strings.HasSuffix(host, "]") {
		host, port = host[:colon], host[colon+1:]
	}
	letter := func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' }
	odd := func(r rune) bool { return !letter(r) && !strings.ContainsRune(".-_", r) }
	digits := func(r rune) bool { return r < '0' || r > '9' }
	six := strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") && strings.Trim(host[1:len(host)-1], "0123456789abcdef:") == ""
	switch {
	case !found, !slices.Contains(hostSchemes, strings.ToLower(scheme)):
		return ""
	case !six && strings.ContainsFunc(host, odd), strings.ContainsFunc(port, digits):
		return ""
	}
	return host
}

// SQLEffects are those of the statements of a text, with "code" where they run a program,
// as far as the table knows.
func SQLEffects(text string) []string {
	effects, code := command.SQL(text)
	names := effects.Names()
	if code {
		names = append(names, "code")
	}
	return names
}

// absolute is a path without detours. It is not told of one that is empty, that a shell
// makes others of, that names a scheme, a machine or a drive before it, has the separators of
// another system, or leaves the folder which it is relative to.
func absolute(file, cwd string) (clean string, told bool) {
	clean = path.Clean(file)
	first, _, _ := strings.Cut(file, "/")
	switch {
	case file == "", strings.ContainsAny(file, "$`\x00\\*?[{"), file[0] == '~', strings.Contains(first, ":"), strings.Contains(file, "://"):
		return "", false
	case path.IsAbs(file):
		return clean, true
	}
	return path.Join(cwd, clean), path.IsAbs(cwd) && clean != ".." && !strings.HasPrefix(clean, "../")
}
