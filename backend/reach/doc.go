// Package reach proves what rules can never allow: it evaluates conditions over sets of calls,
// and not over one. Where it says "none", no call passes; where it says that a call passes,
// package policy has judged that call. It is pure.
package reach
