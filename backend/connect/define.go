package connect

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sekisho/backend/conftext"
)

// The fields that make an entry depend on what its client alone has or does.
var (
	files      = []string{"envFile"}
	helpers    = []string{"headersHelper", "http_headers_helper"}
	elsewhere  = []string{"experimental_environment", "environment_id"}
	signIn     = []string{"oauth", "auth", "scopes", "oauth_resource", "authProviderType"}
	plainToken = []string{"bearer_token"}
)

// definition reads what an entry starts or talks to, with variables filled in and the
// command's absolute path.
func definition(e *conftext.Entry, f *filler, look func(command, folder string) (string, error)) (Server, error) {
	d := f.client.dialect
	s := Server{Transport: Stdio, Enabled: !off(e.Value)}
	url := d.url(e.Value)
	_, program := e.Value["command"]
	switch {
	case program && url != "":
		return s, &Obstacle{Code: twoServers}
	case set(e.Value, files) != "":
		return s, &Obstacle{Code: environmentFile, Field: set(e.Value, files)}
	case set(e.Value, elsewhere) != "":
		return s, &Obstacle{Code: runsElsewhere, Field: set(e.Value, elsewhere)}
	case e.Value["type"] == "sse", url != "" && url == d.eventURL && e.Value["type"] != "http":
		return s, &Obstacle{Code: oldTransport}
	case program:
		if err := started(e, f, look, &s); err != nil {
			return s, err
		}
	case url != "":
		if err := remote(e, f, &s, url); err != nil {
			return s, err
		}
	default:
		return s, &Obstacle{Code: noServer}
	}
	if f.err == nil && !s.text(e.Key()) {
		return s, &Obstacle{Code: halfCharacter}
	}
	return s, f.err
}

// off reports whether an entry is switched off. Clients have either word for it, and a
// person who wrote the other one meant it all the same.
func off(value map[string]any) bool { return value["enabled"] == false || value["disabled"] == true }

// set gives the first of some fields that says something: false and null say nothing.
func set(value map[string]any, fields []string) string {
	for _, field := range fields {
		if v := value[field]; v != nil && v != false && v != conftext.Literal("null") {
			return field
		}
	}
	return ""
}

// started reads a server that is started.
func started(e *conftext.Entry, f *filler, look func(command, folder string) (string, error), s *Server) (err error) {
	d := f.client.dialect
	line, env, err := commandLine(e.Value, d)
	if err != nil {
		return err
	}
	line[0] = f.fill(line[0])
	for i := range line[1:] {
		line[i+1] = f.open(line[i+1])
	}
	if s.Env, err = stringMap(d.environment, env, f); err != nil {
		return err
	}
	if err := forwarded(e.Value["env_vars"], f.places, s); err != nil {
		return err
	}
	cwd, _ := e.Value["cwd"].(string)
	s.Cwd = f.fill(cwd)
	switch {
	case f.err != nil:
		return f.err
	case s.Cwd == "":
		s.Cwd = f.folder
	case !f.places.absolute(s.Cwd) && f.folder == "":
		return &Obstacle{Code: folderRelative} // without it: what was filled in may be a secret
	case !f.places.absolute(s.Cwd):
		s.Cwd = f.places.join(f.folder, s.Cwd)
	}
	if i := slices.IndexFunc(line[1:], relative); i >= 0 && s.Cwd == "" {
		return &Obstacle{Code: argumentRelative, Value: line[i+1]}
	}
	s.Args = line[1:]
	s.Command, err = look(line[0], s.Cwd)
	return err
}

// relative reports whether an argument, or what stands in it behind an equals sign, is
// a path from the folder where the program runs.
func relative(arg string) bool {
	if _, value, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(arg, "-") {
		arg = value
	}
	first, _, _ := strings.Cut(strings.ReplaceAll(arg, `\`, "/"), "/")
	return first == "." || first == ".."
}

// commandLine gives command and arguments, and the environment, in any of the shapes
// that clients have.
func commandLine(value map[string]any, d dialect) (line []string, env any, err error) {
	env = value[d.environment]
	args := value["args"]
	switch command := value["command"].(type) {
	case string:
		if d.commandList {
			return nil, nil, &Obstacle{Code: commandNoList}
		}
		line = []string{command}
	case map[string]any: // Zed's older shape
		path, _ := command["path"].(string)
		line, args, env = []string{path}, command["args"], command["env"]
	case []any:
		if !d.commandList {
			return nil, nil, &Obstacle{Code: commandList}
		}
		line, err = stringList(command)
		args = nil
	}
	if err != nil {
		return nil, nil, err
	}
	if len(line) == 0 || line[0] == "" {
		return nil, nil, &Obstacle{Code: commandEmpty}
	}
	more, err := stringList(args)
	return append(line, more...), env, err
}

func stringList(value any) ([]string, error) {
	if value == nil || value == conftext.Literal("null") {
		return nil, nil
	}
	list, ok := value.([]any)
	if !ok {
		return nil, &Obstacle{Code: argumentsNoList}
	}
	out := make([]string, len(list))
	for i, item := range list {
		if out[i], ok = item.(string); !ok {
			return nil, &Obstacle{Code: argumentsNoText}
		}
	}
	return out, nil
}

// stringMap reads a field of an entry that is a table of texts.
func stringMap(field string, value any, f *filler) (map[string]string, error) {
	if value == nil || value == conftext.Literal("null") {
		return nil, nil
	}
	table, ok := value.(map[string]any)
	if !ok {
		return nil, &Obstacle{Code: noTable, Field: field}
	}
	out := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		switch v := table[name].(type) {
		case string:
			out[name] = f.fill(v)
		case bool:
			out[name] = fmt.Sprint(v)
		case conftext.Literal:
			if v == "null" {
				return nil, &Obstacle{Code: valueNull, Field: field, Name: name}
			}
			out[name] = string(v)
		default:
			return nil, &Obstacle{Code: valueNoText, Field: field, Name: name}
		}
	}
	return out, nil
}

// forwarded adds the variables that Codex hands on from its own environment.
func forwarded(value any, p Places, s *Server) error {
	list, _ := value.([]any)
	for _, item := range list {
		name, ok := item.(string)
		if table, is := item.(map[string]any); is {
			name, ok = table["name"].(string)
			ok = ok && table["source"] != "remote"
		}
		if !ok {
			return &Obstacle{Code: variablesOfApp, Field: "env_vars"}
		}
		if value := p.env(name); value != "" && s.Env[name] == "" {
			if s.Env == nil {
				s.Env = map[string]string{}
			}
			s.Env[name] = value
		}
	}
	return nil
}

// remote reads a server at a URL.
func remote(e *conftext.Entry, f *filler, s *Server, url string) error {
	if field := set(e.Value, helpers); field != "" {
		return &Obstacle{Code: headersProgram, Field: field}
	}
	if field := set(e.Value, signIn); field != "" {
		return &Obstacle{Code: signsIn, Field: field}
	}
	if field := set(e.Value, plainToken); field != "" {
		return &Obstacle{Code: tokenField, Field: field}
	}
	s.Transport = HTTP
	s.URL = f.open(e.Value[url].(string))
	if path, _, _ := strings.Cut(s.URL, "?"); strings.HasSuffix(strings.TrimRight(path, "/"), "/sse") && e.Value["type"] != "http" {
		return &Obstacle{Code: oldTransport}
	}
	for _, field := range f.client.dialect.headers {
		headers, err := stringMap(field, e.Value[field], f)
		if err != nil {
			return err
		}
		for name, value := range headers {
			if field == "env_http_headers" {
				if value = f.places.env(value); value == "" {
					return &Obstacle{Code: headerUnset, Name: name}
				}
			}
			s.header(name, value)
		}
	}
	if name, ok := e.Value["bearer_token_env_var"].(string); ok {
		token := f.places.env(name)
		if token == "" {
			return &Obstacle{Code: tokenUnset, Name: name}
		}
		s.header("Authorization", "Bearer "+token)
	}
	return nil
}

func (s *Server) header(name, value string) {
	if s.Headers == nil {
		s.Headers = map[string]string{}
	}
	s.Headers[name] = value
}
