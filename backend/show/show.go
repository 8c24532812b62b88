// Package show says what a call would do in forms that a person reads better than
// JSON: a written file as the difference to the one on the disk, a command in its
// parts with the programs that it starts, and how the call differs from the last one
// like it that a person approved.
//
// What it shows is worked out of the row's own input, which is what runs, and of the
// disk as it is now. It guesses nothing: where tools or shells could differ in what
// they make of an input, it says that it cannot tell. It writes nothing, and opens
// nothing but files of a disk.
package show

import (
	"context"
	"os"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// Book is what this room asks of the desk.
type Book interface {
	// Servers are those behind the desk.
	Servers(ctx context.Context) ([]permission.Server, error)
	// LastApproved gives the call of the same agent, server and tool that a person
	// approved last, before this one was decided.
	LastApproved(ctx context.Context, c permission.Call) (last permission.Call, ok bool, err error)
	// FlagsOfTool tells of deceiving characters in what a tool says of itself.
	FlagsOfTool(serverID *string, name string) []permission.TextFlag
}

// Options are what a glass needs to know of its desk.
type Options struct {
	// Confinement is what was found of a workspace when its tools were tried; nil is not known.
	Confinement func(permission.Server) *permission.Confinement
	Remote      bool // callers may be on other machines: of a tool inside their own program nothing is known then
}

// Glass looks at calls. It is safe for use by many goroutines.
type Glass struct {
	book Book
	opts Options
	free chan struct{}
	find func(path string) found
}

// New makes a glass over a desk's book.
func New(book Book, opts Options) *Glass {
	return &Glass{book: book, opts: opts, free: make(chan struct{}, hands), find: find}
}

// Look says what can be said of a call. Of one whose input was removed that is nothing.
// Errors are the book's own: a file or a command that is odd is no error.
func (g *Glass) Look(ctx context.Context, c permission.Call) (permission.Look, error) {
	look := permission.Look{Flags: append([]permission.TextFlag{}, g.book.FlagsOfTool(c.ServerID, c.ToolName)...)}
	if c.InputWiped {
		look.Summary = summary(&c, nil, nil)
		return look, nil
	}
	servers, err := g.book.Servers(ctx)
	if err != nil {
		return look, err
	}
	if s := workspaceOf(&c, servers); s != nil {
		look.Workspace = lookAtWorkspace(&c, s, g.opts.Confinement)
	}
	members, err := rawjson.Members(c.Input)
	if err == nil { // else it is no object, or damaged
		h, wait := homeOf(&c, servers, g.opts.Remote), waiter{ctx, g.free, patience}
		look.File = g.lookAtFile(wait, &c, members, h)
		look.Command = lookAtCommand(wait, &c, members, h, os.Getenv("PATH"))
	}
	look.Summary = summary(&c, members, look.File)
	last, ok, err := g.book.LastApproved(ctx, c)
	if err == nil && ok && !last.InputWiped {
		look.Last = against(&c, &last)
	}
	return look, err
}
