// Package policy judges a call by the rules (CONTRACT section 2): allow, ask or deny,
// and why. It is pure: rules, the call and the time come in, a decision goes out, and
// it explains instead of logging. Enforcement, tester and explanation all ask the same
// Set, so that they cannot disagree.
package policy
