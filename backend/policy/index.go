package policy

import (
	"slices"
	"strings"

	"sekisho/backend/permission"
)

// index finds the rules that may apply to a call without looking at the others. Each
// rule that is not disabled lies in one trie, under the server that it is for and one
// literal part of its pattern:
//
//	byName    the tool name; or a pattern without *, folded
//	byPrefix  what stands before the first *; nothing, for a rule about every tool
//	bySuffix  what stands after the last *, from its end
//	byInfix   a part between two *
//
// A lookup goes down byName once, down byPrefix and bySuffix as far as the name leads,
// and down byInfix from each byte of the name: for the rules of the call's server, and
// for those of any.
//
// It visits only nodes whose key is in the name, so at most L(L+5) for a name of L
// bytes, whatever the rules are. With rules whose parts tell themselves apart early, as
// those of people do, these are about L times the logarithm of their number. And it
// holds only rules against the call whose literal part is in the name where the pattern
// wants it, as often as it is there; of those under one part only the first ones, up to
// one that always applies or that comes after the best one found so far. A pattern of several literal parts lies
// under the one that the fewest rules are known by, so that a part which many share
// ("read_*…") does not lead to all of them.
//
// byID finds a rule of any kind for an edit, and byOrder holds all in the order of
// judgement. An edit copies one path of each of three tries, and the lists of rules at
// their ends.
type index struct {
	byOrder, byID, byName, byPrefix, bySuffix, byInfix *node
}

// endOfServer ends the server in a key. It is in no server of a rule, which is UTF-8.
const endOfServer = "\xff"

func byName(x *index) **node   { return &x.byName }
func byPrefix(x *index) **node { return &x.byPrefix }
func bySuffix(x *index) **node { return &x.bySuffix }
func byInfix(x *index) **node  { return &x.byInfix }

// homes are the places where a rule may lie; never none.
func (r *compiled) homes() []home {
	server := endOfServer
	if r.ServerID != nil {
		server = *r.ServerID + endOfServer
	}
	if r.ToolName != nil {
		return []home{{trie: byName, key: server + *r.ToolName, full: true}}
	}
	if r.ToolPattern == nil {
		return []home{{trie: byPrefix, key: server, full: true}}
	}
	prefix, middle, suffix, star := r.matcher.Parts()
	if !star {
		return []home{{trie: byName, key: server + prefix, full: true}}
	}
	var all []home
	if prefix != "" {
		all = append(all, home{byPrefix, server + prefix, len(prefix), suffix == "" && middle == nil})
	}
	if suffix != "" {
		all = append(all, home{bySuffix, server + backwards(suffix), len(suffix), prefix == "" && middle == nil})
	}
	for _, part := range middle {
		all = append(all, home{byInfix, server + part, len(part), prefix == "" && suffix == "" && len(middle) == 1})
	}
	if all == nil {
		all = append(all, home{trie: byPrefix, key: server, full: true})
	}
	return all
}

func backwards(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

// put lays a rule into the index. A fresh index belongs to the caller alone.
func (x *index) put(r *compiled, fresh bool) {
	x.byOrder = x.byOrder.with(r.key(), r, fresh)
	x.byID = x.byID.with(string(r.ID), r, fresh)
	if !r.Enabled {
		return
	}
	var best, crowd = home{}, 0
	for i, h := range r.homes() {
		n := len(place{node: *h.trie(x)}.down(h.key).rules())
		if i == 0 || n < crowd || n == crowd && h.part > best.part {
			best, crowd = h, n
		}
	}
	r.home, r.whole = best, best.full && r.For(permission.CallTool)
	trie := best.trie(x)
	*trie = (*trie).with(best.key, r, fresh)
}

// drop takes a rule out that is in the index.
func (x *index) drop(r *compiled) {
	x.byOrder = x.byOrder.without(r.key(), r)
	x.byID = x.byID.without(string(r.ID), r)
	if r.Enabled {
		trie := r.home.trie(x)
		*trie = (*trie).without(r.home.key, r)
	}
}

// all yields every rule in the order of judgement.
func (x *index) all(yield func(*compiled) bool) { x.byOrder.all(yield) }

// named are the rules with an id.
func (x *index) named(id permission.RuleID) []*compiled {
	return place{node: x.byID}.down(string(id)).rules()
}

// find gathers in q the rules that may decide its call.
func (x *index) find(q *question) {
	x.findOf(q, "")
	if q.ServerID != nil && *q.ServerID != "" {
		x.findOf(q, *q.ServerID)
	}
	q.trim()
}

// findOf is find among the rules for one server, or "" for those of any.
func (x *index) findOf(q *question, server string) {
	start := func(root *node) place { return place{node: root}.down(server).down(endOfServer) }
	if p := start(x.byName); p.node != nil {
		q.take(p.down(q.ToolName).rules(), true)
		if q.folded != q.ToolName {
			q.take(p.down(q.folded).rules(), false)
		}
	}
	q.along(start(x.byPrefix), q.folded)
	q.alongBack(start(x.bySuffix), q.folded)
	if p := start(x.byInfix); p.node != nil {
		for from := 0; from < len(q.folded) && !q.exhausted(); from += abreast {
			q.alongEach(p, q.folded, from)
		}
	}
}

// abreast is how many bytes of a name are gone from side by side.
const abreast = 64

// walk is how far the way from one byte of a name has come: a node, and what is left.
type walk struct {
	at   *node
	text string
}

// walk adds the way of a text from here, if there is one.
func (p place) walk(walks []walk, text string) []walk {
	if p.node == nil || !strings.HasPrefix(text, p.node.label[p.used:]) {
		return walks
	}
	return append(walks, walk{p.node, text[len(p.node.label)-p.used:]})
}

// along takes the rules of every key that text begins with.
func (q *question) along(p place, text string) {
	var room [1]walk
	q.follow(p.walk(room[:0], text))
}

// alongEach is along from each of abreast bytes of a name.
func (q *question) alongEach(p place, name string, from int) {
	var room [abreast]walk
	walks := room[:0]
	for i := from; i < min(from+abreast, len(name)); i++ {
		walks = p.walk(walks, name[i:])
	}
	q.follow(walks)
}

// follow takes the rules of every key on some ways, a step of each at a time. In a large
// trie a step waits for memory, once for the list of kids and once for the kid; the
// processor waits for many at once where they do not depend on each other.
func (q *question) follow(walks []walk) {
	for len(walks) > 0 && !q.exhausted() {
		on := walks[:0]
		for _, w := range walks {
			if len(w.at.rules) > 0 {
				q.take(w.at.rules, true)
			}
			if w.text == "" {
				continue
			}
			if kid := w.at.kid(w.text[0]); kid != nil {
				on = append(on, walk{kid, w.text})
			}
		}
		q.work += len(on)
		walks = on[:0]
		for _, w := range on {
			if w.at.fits(w.text) {
				walks = append(walks, walk{w.at, w.text[len(w.at.label):]})
			}
		}
	}
}

// alongBack is along from the end of text backwards.
func (q *question) alongBack(p place, text string) {
	if p.node == nil || !endsWith(text, p.node.label[p.used:]) {
		return
	}
	text = text[:len(text)-len(p.node.label)+p.used]
	for n := p.node; ; text = text[:len(text)-len(n.label)] {
		if len(n.rules) > 0 {
			q.take(n.rules, true)
		}
		if text == "" {
			return
		}
		if n = n.kid(text[len(text)-1]); n == nil {
			return
		}
		q.work++
		if !n.fitsBack(text) {
			return
		}
	}
}
