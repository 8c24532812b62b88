package policy

import (
	"encoding/json"
	"errors"

	"sekisho/backend/command"
	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// ClassOf gives what an answer of scope class to a call covers (CONTRACT section 3),
// or nil if it can be answered once only. It is the same server and tool and, where
// the input has a command, the same command word. A nil Class is covered by no grant,
// so every doubt ends in nil:
//
//   - The input is not the JSON that we take, or its command is not a string, or is
//     spelled "Command": some programs read that as the same member. Or it has both a
//     command and a cmd. (A cmd alone is no command to a class yet.)
//   - The command is not one simple command: several, a pipe, a redirection, a
//     substitution, an assignment in front, a background job, a comment, a glob for a
//     name; or nothing at all. A plain $NAME among the arguments is no substitution.
//   - The command word is not plain ASCII. /usr/bin/rm is a word of its own, other
//     than rm; ./rm and bin/rm are whatever file is there by then, and so nil.
//   - The word only runs another program or code that its arguments name (see programs.txt of package command):
//     a yes to it would be a yes to everything. Where that depends on an argument, as
//     for find -exec, it is nil with that argument, however that is abbreviated, and
//     with one that a shell may turn into it.
//   - There are args beside the command and the command is more than one word, or an
//     argument would mean something to a shell that the tool may use.
//
// Programs with verbs of their own, such as git, npm or make, keep their word for all
// else, although a project's files can tell them to run others: who answers for the
// class of make answers for what the makefile says.
func ClassOf(server *string, tool string, input json.RawMessage) *permission.Class {
	class := permission.Class{ServerID: server, ToolName: tool}
	order, found, err := orderIn(input)
	if err != nil {
		return nil
	}
	if !found {
		return &class
	}
	program, words, ok := order.Simple()
	if !ok || command.RunsOthers(program, words) {
		return nil
	}
	class.Command = &program
	return &class
}

// orderIn finds the command of an input. An error says that it cannot be told.
func orderIn(input json.RawMessage) (order command.Order, found bool, err error) {
	if len(input) == 0 {
		return order, false, nil
	}
	members, err := rawjson.Members(input)
	if bad := (*rawjson.Error)(nil); errors.As(err, &bad) && bad.Reason == rawjson.NotObject {
		return order, false, nil
	} else if err != nil {
		return order, false, err
	}
	order, found = command.Find(rawjson.Values(members))
	return order, found && order.Key != "cmd", nil
}
