// Package guard judges calls of the workspace tools (read_file, write_file,
// execute_command, list_directory) by their input alone: it refuses what no person can
// allow, and gives all else its base level of risk.
//
// It is a judge: it looks at no disk and at no clock. What it says of a path is lexical;
// the room tool opens paths by one handle of the folder, and refuses links that leave it.
//
// A program that is not in options.txt is refused, and so is an option that is not in its
// program's row, or a value that is not of the option's kind. A list of programs alone
// would be no boundary: most programs can run others or write by one of their options.
// Beside options.txt stands the table of the room command, by which every other shell line
// is judged. It can only tighten: low is a line that both take for one that only reads.
package guard
