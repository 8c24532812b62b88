// Package advice speaks about rules and judges nothing: what is odd about them, what an
// edit or an import would change, which rules a person may want, and whether their examples
// hold. It is pure, and asks package policy wherever a call is to be decided.
package advice
