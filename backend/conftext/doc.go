// Package conftext reads configuration files of JSON, of JSON with comments and of TOML,
// keeps the place of everything in them, and changes tables in place: what is not meant
// stays as it was, byte for byte.
package conftext
