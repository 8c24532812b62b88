// Package spoof finds what deceives the eye in a text: characters that nobody sees, and
// letters that look like others. Its tables come from the Unicode Character Database and
// from UTS 39 (confusables.txt); testdata/generate writes them, once for this package and
// once for the front end, so that both mark the same characters.
package spoof
