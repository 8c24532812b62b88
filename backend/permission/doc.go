// Package permission holds the words of the house: rule, call, decision,
// agent, journal entry and error. Values only; no behaviour beyond what keeps a
// value valid. The meaning of each word is CONTRACT sections 2 to 4.
package permission
