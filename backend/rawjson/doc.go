// Package rawjson reads JSON without letting go of its bytes. What a person is
// shown, what is hashed and what is executed must be the same bytes, and
// encoding/json cannot promise that: it takes duplicate keys, replaces bad UTF-8,
// loses integers over 2^53 and reorders keys. So this room checks strictly, splits
// objects into subslices, and writes one canonical form for hashing (CONTRACT
// section 3, inputHash). Outline and Skim alone are lenient, with what their caller will
// not read.
//
// All functions run in time linear in the input, but for the sorting of keys.
package rawjson
