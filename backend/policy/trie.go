package policy

import (
	"math/bits"
	"slices"
	"strings"
)

// node is a node of a compressed trie over bytes: lists of rules under keys. A trie
// that a Set holds never changes; with and without copy the nodes from the root to the
// key and share all others, so that an edit costs the length of one path.
type node struct {
	label  string      // the bytes that lead here from the parent
	second byte        // of label, if it has one: tells most names apart without a look at it
	has    [4]uint64   // the bytes that kids' labels begin with
	kids   []node      // in the order of these bytes; in one piece, so that the way to one is short
	rules  []*compiled // whose key ends here, in the order of judgement
}

// labelled gives the node another label.
func (n node) labelled(label string) *node {
	n.label = label
	if len(label) > 1 {
		n.second = label[1]
	}
	return &n
}

// fits reports whether text, which begins as the label does, goes on so.
func (n *node) fits(text string) bool {
	return len(n.label) == 1 || len(text) > 1 && text[1] == n.second && strings.HasPrefix(text, n.label)
}

// fitsBack is fits for a text that is gone along from its end.
func (n *node) fitsBack(text string) bool {
	return len(n.label) == 1 || len(text) > 1 && text[len(text)-2] == n.second && endsWith(text, n.label)
}

// slot is where the kid for c is or would be.
func (n *node) slot(c byte) (at int, found bool) {
	word, bit := c>>6, uint64(1)<<(c&63)
	at = bits.OnesCount64(n.has[word] & (bit - 1))
	for _, w := range n.has[:word] {
		at += bits.OnesCount64(w)
	}
	return at, n.has[word]&bit != 0
}

// kid is the child whose label begins with c, or nil.
func (n *node) kid(c byte) *node {
	if n.has[c>>6]>>(c&63)&1 == 0 {
		return nil
	}
	at, _ := n.slot(c)
	return &n.kids[at]
}

// with gives the trie that also holds r under key. A fresh trie belongs to the caller
// alone and is changed in place.
func (n *node) with(key string, r *compiled, fresh bool) *node {
	if n == nil {
		return node{rules: []*compiled{r}}.labelled(key)
	}
	shared := 0
	for shared < min(len(key), len(n.label)) && key[shared] == n.label[shared] {
		shared++
	}
	out := n
	if shared < len(n.label) {
		out = node{}.labelled(n.label[:shared])
		out.adopt(n.labelled(n.label[shared:]))
	} else if !fresh {
		out = n.copy()
	}
	key = key[shared:]
	if key == "" {
		out.rules = insert(out.rules, r, fresh)
	} else if at, found := out.slot(key[0]); found {
		out.kids[at] = *out.kids[at].with(key, r, fresh)
	} else {
		out.adopt(node{rules: []*compiled{r}}.labelled(key))
	}
	return out
}

// without gives the trie without r, which it holds under key: nil when nothing is left.
func (n *node) without(key string, r *compiled) *node {
	out, rest := n.copy(), key[len(n.label):]
	if rest == "" {
		out.rules = remove(out.rules, r)
	} else {
		at, _ := out.slot(rest[0])
		if kid := out.kids[at].without(rest, r); kid != nil {
			out.kids[at] = *kid
		} else {
			out.kids = slices.Delete(out.kids, at, at+1)
			out.has[rest[0]>>6] &^= 1 << (rest[0] & 63)
		}
	}
	switch {
	case len(out.rules) > 0 || len(out.kids) > 1:
		return out
	case len(out.kids) == 0:
		return nil
	}
	return out.kids[0].labelled(out.label + out.kids[0].label)
}

// copy is the node with its own list of kids.
func (n *node) copy() *node {
	out := *n
	out.kids = slices.Clone(n.kids)
	return &out
}

// adopt takes in a kid for a byte that has none.
func (n *node) adopt(kid *node) {
	at, _ := n.slot(kid.label[0])
	n.kids = slices.Insert(n.kids, at, *kid)
	n.has[kid.label[0]>>6] |= 1 << (kid.label[0] & 63)
}

// insert and remove give a list in the order of judgement with or without r. A fresh
// one, to which the rules come in that order, is changed in place.
func insert(list []*compiled, r *compiled, fresh bool) []*compiled {
	if fresh {
		return append(list, r)
	}
	at, found := slices.BinarySearchFunc(list, r, (*compiled).order)
	for found && at < len(list) && list[at].order(r) == 0 { // of the same id
		at++
	}
	return slices.Concat(list[:at], []*compiled{r}, list[at:])
}

func remove(list []*compiled, r *compiled) []*compiled {
	at := slices.Index(list, r)
	return slices.Concat(list[:at], list[at+1:])
}

// all yields the rules in the order of their keys.
func (n *node) all(yield func(*compiled) bool) bool {
	if n == nil {
		return true
	}
	for _, r := range n.rules {
		if !yield(r) {
			return false
		}
	}
	for i := range n.kids {
		if !n.kids[i].all(yield) {
			return false
		}
	}
	return true
}

// place is a point in a trie: a node, and how many bytes of its label lead there. It is
// outside of the trie when the node is nil.
type place struct {
	node *node
	used int
}

// down goes along the bytes of key.
func (p place) down(key string) place {
	if p.node == nil {
		return p
	}
	label := p.node.label[p.used:]
	if len(key) <= len(label) {
		if !strings.HasPrefix(label, key) {
			return place{}
		}
		return place{p.node, p.used + len(key)}
	}
	if !strings.HasPrefix(key, label) {
		return place{}
	}
	return p.node.below(key[len(label):])
}

// below goes along the bytes of key, of which there are some, from the end of the node's
// label.
func (n *node) below(key string) place {
	for {
		if n = n.kid(key[0]); n == nil {
			return place{}
		}
		if len(key) < len(n.label) {
			if !strings.HasPrefix(n.label, key) {
				return place{}
			}
			return place{n, len(key)}
		}
		if !n.fits(key) {
			return place{}
		}
		if key = key[len(n.label):]; key == "" {
			return place{n, len(n.label)}
		}
	}
}

// rules are those under the key that led here.
func (p place) rules() []*compiled {
	if p.node == nil || p.used < len(p.node.label) {
		return nil
	}
	return p.node.rules
}

// endsWith reports whether text ends with label read backwards.
func endsWith(text, label string) bool {
	if len(text) < len(label) {
		return false
	}
	for i := range len(label) {
		if text[len(text)-1-i] != label[i] {
			return false
		}
	}
	return true
}
