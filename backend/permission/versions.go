package permission

// Copied names a kind of what a store keeps and a desk has a copy of in memory.
type Copied int

// The kinds, each after those that its copy is made with.
const (
	OfSettings Copied = iota // hold included
	OfServers
	OfTools
	OfAgents // and which of them are stopped
	OfPolicy // another one with every change that may make a judgement another
	copiedKinds
)

// Versions are those of all kinds. A store raises a kind's version in the transaction that
// changes it.
type Versions [copiedKinds]int64

// Still reports whether what was at these versions is so still; 0 is any.
func (v Versions) Still(now Versions) bool {
	for kind, version := range v {
		if version != 0 && version != now[kind] {
			return false
		}
	}
	return true
}
