package trial

import (
	"bytes"
	"maps"
	"slices"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// Difference is how a second list of tools differs from a first one: names.
type Difference struct {
	Missing, Added, Changed []string
}

// None reports whether the lists are equal.
func (d Difference) None() bool { return len(d.Missing)+len(d.Added)+len(d.Changed) == 0 }

// Compare holds the definitions of tools against each other, byte for byte but for the order
// of members and white space. The order of tools counts for nothing.
func Compare(first, second []permission.OfferedTool) (d Difference) {
	a, b := definitions(first), definitions(second)
	for _, name := range slices.Sorted(maps.Keys(a)) {
		switch {
		case len(b[name]) == 0:
			d.Missing = append(d.Missing, name)
		case !slices.EqualFunc(a[name], b[name], bytes.Equal):
			d.Changed = append(d.Changed, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b)) {
		if len(a[name]) == 0 {
			d.Added = append(d.Added, name)
		}
	}
	return d
}

// definitions are those of each name, which a server may have given to several tools.
func definitions(tools []permission.OfferedTool) map[string][][]byte {
	all := map[string][][]byte{}
	for _, tool := range tools {
		canonical, err := rawjson.Canonical(nil, tool.Raw)
		if err != nil {
			canonical = tool.Raw // it has no such form: it must be the same bytes
		}
		all[tool.Name] = append(all[tool.Name], canonical)
	}
	for _, same := range all {
		slices.SortFunc(same, bytes.Compare)
	}
	return all
}
