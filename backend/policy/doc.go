// Package policy judges a call by the rules (CONTRACT section 2): allow, ask or deny,
// and why. It is pure: rules, the call and the time come in, a decision goes out, and
// it explains instead of logging. Enforcement, tester and explanation all ask the same
// Set, so that they cannot disagree.
//
// A Set decides in three steps. The memo knows which rules may decide the calls of a
// server and tool that was met before; for others the index finds them, and a rule is
// held against a call by question.misses alone. What then depends on time, input and counts
// (expiry, conditions, limits) is asked anew for each call; what was counted the set is told
// (Counting, Call.Count). A decision names the places of limits that its call takes, and the
// store takes them when it keeps the call, or says that one is gone: then the call is judged
// again. Trace does the same without memo
// and index, one rule after another.
//
// A set of 100,000 rules takes about 80 MB, and what its conditions take once they have
// been asked for.
package policy
