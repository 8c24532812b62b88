package upstream

import "strings"

// Inherited gives the names of those variables of an environment that servers get, too.
func Inherited(ours []string) (names []string) {
	for _, v := range environment(ours, nil, "") {
		name, _, _ := strings.Cut(v, "=")
		names = append(names, name)
	}
	return names
}
