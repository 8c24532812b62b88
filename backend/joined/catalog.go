package joined

import (
	"sync/atomic"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
)

// catalogs is a catalog for each kind.
type catalogs [mcpwire.ListKinds]catalog

func newCatalogs() *catalogs {
	var all catalogs
	for i := range all {
		all[i].asking = newTurn()
	}
	return &all
}

// catalog is what the client knows of the things of one kind that members offer.
type catalog struct {
	asking turn                 // to ask the members
	last   atomic.Pointer[told] // nil before the first list is asked for
}

// told is what the client was told by one list. It never changes.
type told struct {
	of     map[string]pair              // by the names that the client knows; nil before the first list
	listed map[string]permission.Server // the servers that were joined
	from   []string                     // those of them that offer things of the kind, in their order
}

// told is what the client was told last; nil before its first list.
func (c *catalog) told() *told {
	if t := c.last.Load(); t != nil && t.of != nil {
		return t
	}
	return nil
}

// uriOf gives the URI by which the client knows a resource of a server.
func (c *catalog) uriOf(p pair) string {
	var other pair
	taken := false
	if t := c.told(); t != nil {
		other, taken = t.of[p.name]
	}
	if _, own := ours(p.name); own || taken && other.server != p.server {
		return p.uri()
	}
	return p.name
}
