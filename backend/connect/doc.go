// Package connect moves the tool servers of agents' clients behind the desk: it
// finds the clients' configuration files, shows what it would change, changes an
// entry in place under its own key, and puts it back.
//
// A configuration file is a person's own: comments, order, indentation, line ends and
// all that is not ours stay byte for byte. So nothing is ever printed anew from a
// tree. A strict reader finds the byte ranges of an entry's fields, edits replace
// those ranges, and the result is read again and must say exactly what was meant, or
// the file is left alone.
//
// Secrets of a moved entry go to the desk and leave the file. The copies that put
// it back (Vault) are the only other place that holds them, for this user alone.
package connect
