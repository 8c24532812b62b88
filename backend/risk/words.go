package risk

import "sekisho/backend/spoof"

// Words are those of a tool's name as it looks to a reader, in small letters.
func Words(name string) []string { return split(spoof.LooksLike(name)) }
