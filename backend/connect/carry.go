package connect

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"sekisho/backend/environ"
)

// CarryError says that a variable which a person chose cannot be carried to the desk.
type CarryError struct{ Name, Why string }

func (e *CarryError) Error() string {
	return fmt.Sprintf("%s cannot be carried to the desk: %s", e.Name, e.Why)
}

// sameName reports whether two names are one variable's.
func sameName(a, b string) bool {
	return a == b || runtime.GOOS == "windows" && strings.EqualFold(a, b)
}

// variable gives the value of a variable of the user's environment.
func (p Places) variable(name string) (value string, set bool) {
	for _, v := range p.Environ() {
		if its, value, _ := strings.Cut(v, "="); sameName(its, name) && value != "" {
			return value, true
		}
	}
	return "", false
}

// carry adds to a server that is started those variables that a person chose and that it
// would miss: what its client hands on, and the desk does not.
func (p Places) carry(s *Server, client, key string, inherited, chosen []string) (m environ.Missing, names []string) {
	if inherited == nil || s.Transport != Stdio {
		return m, nil
	}
	kept := func(name string) bool {
		its := func(n string) bool { return sameName(n, name) }
		return slices.ContainsFunc(inherited, its) || slices.ContainsFunc(slices.Collect(maps.Keys(s.Env)), its)
	}
	m = environ.Find(environ.Passed(client, p.Environ()), kept, append([]string{key, s.Command}, s.Args...)...)
	for _, name := range chosen {
		if value, set := p.variable(name); set && m.Has(name) && !slices.Contains(names, name) {
			if s.Env == nil {
				s.Env = map[string]string{}
			}
			s.Env[name] = value
			names = append(names, name)
		}
	}
	return m, names
}
