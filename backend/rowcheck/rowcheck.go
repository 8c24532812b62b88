// Package rowcheck makes numbers of the values in a row. Their sum, kept beside the row, tells
// whether the row is what was written: a change of the row takes the parts of the old values
// off the sum and adds those of the new ones.
package rowcheck

// Mask keeps sums of parts within what SQLite adds as integers.
const Mask = 1<<56 - 1

// Part is that of a value as a driver gives it.
func Part(place int, value any) uint64 {
	switch v := value.(type) {
	case nil:
		return 0
	case string:
		return Text(place, v)
	case []byte:
		return Blob(place, v)
	case int64:
		return Int(place, v)
	case bool:
		return Flag(place, v)
	}
	return mixed(place, 'x', 0) // a number that no column holds
}

// Text is the part of a text.
func Text(place int, v string) uint64 { return mixed(place, 't', digest(v)) }

// Blob is the part of bytes.
func Blob(place int, v []byte) uint64 { return mixed(place, 'b', digest(v)) }

// Int is the part of an integer.
func Int(place int, v int64) uint64 { return mixed(place, 'i', uint64(v)) }

// Flag is the part of a yes or no.
func Flag(place int, v bool) uint64 {
	if v {
		return Int(place, 1)
	}
	return Int(place, 0)
}

// mixed makes a part of a place, a type and a number. Each step but the last is one to
// one, as are those of digest: what differs in one bit has another part, but for the one
// case in 2⁵⁶ that the mask makes.
func mixed(place int, kind byte, x uint64) uint64 {
	x += uint64(place<<8|int(kind)) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return (x ^ x>>31) & Mask
}

// digest is a number of some bytes, eight at a time: it stands in the way of a call.
func digest[T string | []byte](v T) uint64 {
	const odd = 0x9fb21c651e98df25
	h := uint64(len(v)) * odd
	for ; len(v) >= 8; v = v[8:] {
		h = (h ^ (uint64(v[0]) | uint64(v[1])<<8 | uint64(v[2])<<16 | uint64(v[3])<<24 | uint64(v[4])<<32 | uint64(v[5])<<40 | uint64(
			v[6])<<48 | uint64(v[7])<<56)) * odd
		h ^= h >> 32
	}
	for i := range len(v) {
		h = (h ^ uint64(v[i])) * odd
		h ^= h >> 32
	}
	return h
}
