// Package command reads a shell line as the desk reads it everywhere (CONTRACT section
// 6): risk, class, conditions and the dialog stand on one parser, that of the room shell, one
// finder of the line in a tool's input, one set of bounds and one table of programs.
//
// Find gives the line of an input. Its Read, or the function Read for a bare text, takes
// it apart: a Line is the set of all that it would run, and its Parts are its simple
// commands, also those inside pipes, lists, substitutions, functions and in the arguments
// of programs that run others (sudo, xargs, find -exec, sh -c). A part says what the table,
// programs.txt, knows of it: what it reads, changes, destroys, sends, and whose code it
// runs. The room judges nothing: levels and rules are made of this elsewhere.
//
// Whatever cannot be known from the text makes a line opaque. The readers err on that
// side: an option that the table does not know is never one that only reads.
package command
