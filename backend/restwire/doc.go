// Package restwire is how a request to the REST door is read and answered, whatever it is
// about: its route, its caller, how much that caller has under way, its body, the problem
// that stands for an error, and the OpenAPI document.
//
// A request passes the same checks in the same order wherever it goes, and none
// of them tells more than the one before allowed: Host and Origin, whether the
// path exists, how much the bearer of the token has under way already, the token,
// the caller's role, the method, the kind and size of the body, strict JSON, and at
// last the content. Only then does a handler run.
//
// huma makes the schemas out of Go types, validates values, reads parameters and writes
// answers. Routes, bodies and errors are not left to it: it tells of a method before it knows
// the caller, takes keys of another letter case, rounds large integers, and has what was sent
// in its errors.
package restwire
