package rest

import (
	"context"
	"errors"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

// Connections puts the tool servers of agents' clients on the desk's machine behind the
// desk, and back. shown is what the file was listed with: permission.CodeStale when the
// file, or what would be done to it, is another by now.
type Connections interface {
	Clients(ctx context.Context, choice ClientChoice) (ClientList, error)
	// Try starts the servers of a file as its client does, before they are moved.
	Try(ctx context.Context, id, shown string, choice ClientChoice) ([]ClientTrial, error)
	Connect(ctx context.Context, id, shown string, choice ClientChoice) (ClientConnected, error)
	// Prove starts them as the client will now, and compares them with what Try found.
	Prove(ctx context.Context, id string) ([]ClientProof, error)
	Disconnect(ctx context.Context, id, shown string, force bool) (ClientDisconnected, error)
	// Check proves that the client of a file asks the desk before it runs a tool of its own.
	Check(ctx context.Context, id string) (ClientCheck, error)
	// RemoveLeftovers takes servers off the desk's list that are left over:
	// permission.CodeStale, and nothing is done, when one of them is not any more.
	RemoveLeftovers(ctx context.Context, servers []string) (ClientDisconnected, error)
}

// ClientChoice is what a person chose beside connecting.
type ClientChoice struct {
	Hooks  bool     // clients are to ask about their own tools too
	Carry  []string // variables that go to the desk
	Limits bool     // the clients' own limits are raised
}

// connectionRows are those of the clients' files.
type connectionRows struct{ clients Connections }

// ClientList is every file of a client that was found.
type ClientList struct {
	Machine string       `json:"machine" doc:"the name of the machine where the desk runs, whose files these are"`
	Program string       `json:"program" doc:"the path of the program that connected clients start; empty when it was not found, and then nothing can be connected"`
	Files   []ClientFile `json:"files"`
	Apps    []ClientApp  `json:"apps" doc:"every app that the desk knows, in the order in which they are shown"`

	Leftovers []string `json:"leftovers" doc:"servers that came to the desk by connecting, and that no app file known to the desk uses: they were left when the files were put back, or connecting was broken off"`
}

// ClientApp is an agents' app as it stands on the desk's machine.
type ClientApp struct {
	Client  string           `json:"client" doc:"as its files have it"`
	Name    string           `json:"name" doc:"as people know it"`
	Found   bool             `json:"found" doc:"it is on the desk's machine"`
	Unasked []string         `json:"unasked" enum:"runs_commands,edits_files,servers_past_desk,hooks_missing,hooks_faulty,hooks_none,hooks_off,bypass_mode,side_door,trust_unread,file_unreadable" doc:"what it may do today without a question to the desk, and why, by its files as they are; empty of one that was not found"`
	Wired   bool             `json:"wired" doc:"a file of it holds what connecting writes"`
	Spoken  bool             `json:"spoken" doc:"it was at this desk since the desk was started, or a call of it is kept"`
	FirstAt *permission.Time `json:"firstAt" doc:"when its first call came in; null when none did. Calls of checks of the desk itself are none"`
}

// ClientFile is a configuration file of a client, and what can be done to it.
type ClientFile struct {
	ID      string        `json:"id"`
	Client  string        `json:"client" doc:"as sekisho connect --client has it"`
	Name    string        `json:"name" doc:"of the client, as people know it"`
	Path    string        `json:"path"`
	State   string        `json:"state" enum:"direct,partly,behind,left,empty,broken" doc:"direct: entries can be moved and none is behind the desk; partly: entries can be moved and others are behind it; behind: what can be moved is; left: none can be moved; empty: there are none; broken: the file cannot be used"`
	Error   string        `json:"error" doc:"why the file cannot be used, in words; else empty"`
	Entries []ClientEntry `json:"entries"`
	Move    *ClientMove   `json:"move" doc:"what connecting would do; null when nothing can be moved"`
	Back    *ClientBack   `json:"back" doc:"what disconnecting would do; null when the file was not connected"`
}

// ClientEntry is a tool server in a client's file.
type ClientEntry struct {
	Key      string          `json:"key"`
	Folder   string          `json:"folder" doc:"the project that it is for, where the file has several; else empty"`
	State    string          `json:"state" enum:"direct,behind,left"`
	Off      bool            `json:"off" doc:"of a direct one: it is switched off in the file, and its server would be on the desk"`
	Reason   string          `json:"reason" doc:"why it is left as it is, in English; else empty"`
	Why      *ClientObstacle `json:"why" doc:"reason for a page that has its own words; null when it has none, or is not left"`
	Hook     bool            `json:"hook" doc:"it is no tool server: it makes the app ask about its own tools"`
	ServerID string          `json:"serverId" doc:"its server's id on the desk, or the one that it would get; empty when it is left"`
	Likely   []string        `json:"missesLikely" doc:"of a direct one: names of the variables that the app starts it with and the desk would not, and that it may need, the likeliest first"`
	Others   []string        `json:"missesOthers" doc:"of a direct one: the rest of those names"`
	Limit    string          `json:"limit" doc:"of a direct one: the field of the app's own limit on a call, where that is shorter than what the desk waits; else empty"`
}

// ClientObstacle is why an entry is left where it is, or why it, or its file, is not put
// back as it was. What its code does not speak of is empty.
type ClientObstacle struct {
	Code  string `json:"code" enum:"argument_relative,arguments_no_list,arguments_no_text,back_by_hand,became_no_table,command_empty,command_list,command_missing,command_no_list,command_relative,environment_file,field_changed,folder_relative,half_character,header_unset,headers_program,hooks_first,no_server,no_table,old_transport,other_name,other_shape,own_file_changed,policy_first,runs_elsewhere,signs_in,token_field,token_unset,two_servers,value_no_text,value_null,variable_folder,variable_of_app,variable_shown,variable_unset,variables_of_app,written_apart"`
	Field string `json:"field" doc:"of the entry, as the file calls it"`
	Name  string `json:"name" doc:"of a variable, of a header, of the app, or of the entry"`
	Value string `json:"value" doc:"as it stands in the file: a command, an argument, a variable; or the path of a copy"`
}

// ClientMove is what connecting would do to a file.
type ClientMove struct {
	Shown      string           `json:"shown"`
	Difference ClientDifference `json:"difference"`
}

// ClientBack is what disconnecting would do to a file.
type ClientBack struct {
	Shown      string           `json:"shown" doc:"empty when it cannot be put back: error says why"`
	Error      string           `json:"error"`
	Why        *ClientObstacle  `json:"why" doc:"error for a page that has its own words; null when it has none, or there is no error"`
	Exact      bool             `json:"exact" doc:"the file is as connecting left it, and will be as it was before, byte for byte"`
	Gone       bool             `json:"gone" doc:"the file is not there any more"`
	Forced     bool             `json:"forced" doc:"what connecting wrote was changed since, or the file is gone: it is put back only with force"`
	Entries    []ClientReturn   `json:"entries" doc:"of a file that was changed since: what becomes of each without force"`
	Others     int              `json:"others" doc:"lines that were changed since outside of entries; they stay"`
	Copies     []string         `json:"copies" doc:"where copies of the file as it was stay, because they hold entries that are gone"`
	Theirs     ClientDifference `json:"theirs" doc:"what was changed in entries since connecting, without numbers of lines"`
	Difference ClientDifference `json:"difference" doc:"what would be changed now"`
}

// ClientReturn is an entry of a file that is put back.
type ClientReturn struct {
	Key     string          `json:"key"`
	Outcome string          `json:"outcome" enum:"back,gone,conflict" doc:"back: it is put back; gone: it was taken out since and stays out; conflict: what connecting wrote was changed"`
	Reason  string          `json:"reason" doc:"of a conflict, in English; else empty"`
	Why     *ClientObstacle `json:"why" doc:"reason for a page that has its own words; null when it has none, or there is no conflict"`
}

// ClientDifference is how a file differs, line by line, with secrets masked.
type ClientDifference struct {
	Added   int                   `json:"added"`
	Removed int                   `json:"removed"`
	Lines   []permission.DiffLine `json:"lines"`
	More    int                   `json:"more" doc:"lines that are left out at the end"`
	Cut     bool                  `json:"cut" doc:"a line is longer than what is shown of it"`
}

// ClientConnected is what came of connecting a file.
type ClientConnected struct {
	Moved int             `json:"moved" doc:"tool servers that are behind the desk now, and were not before"`
	Hooks bool            `json:"hooks" doc:"the app asks about its own tools now, once it is started anew"`
	Left  []ClientRefused `json:"left" doc:"entries that stay as they are, because the desk does not take their servers"`
}

// ClientRefused is an entry that the desk did not take.
type ClientRefused struct {
	Key    string               `json:"key"`
	Field  string               `json:"field" doc:"of the server, which is wrong"`
	Code   permission.FieldCode `json:"code" doc:"what is wrong with it"`
	Params permission.Params    `json:"params"`
	Reason string               `json:"reason" doc:"the same in English"`
}

// Refused is an entry whose server the desk did not take for a reason.
func Refused(key string, reason error) ClientRefused {
	out := ClientRefused{Key: key, Code: permission.FieldOther, Reason: reason.Error()}
	if e := (*permission.Error)(nil); errors.As(reason, &e) {
		out.Field, out.Code, out.Params = e.Field, restwire.FaultOf(e), e.Params
	}
	return out
}

// ClientDisconnected is what came of putting a file back.
type ClientDisconnected struct {
	Removed []string `json:"removed" doc:"servers that left the desk's list"`
	Kept    []string `json:"kept" doc:"servers that stay there, because they were changed on it"`
}

// ClientCheck is what was found of a client that asks about its own tools.
type ClientCheck struct {
	Client  string        `json:"client"`
	Name    string        `json:"name" doc:"of the client, as people know it"`
	State   string        `json:"state" enum:"closed,open,not_proved" doc:"closed: it asked the desk, and did not run what the desk refused; open: a tool may run without the desk; not_proved: nothing is known against it, and not all was seen"`
	Reasons []ClientFault `json:"reasons" doc:"why it is not closed"`

	CommandProved bool `json:"commandProved" doc:"each command of its hooks asked the desk, and ended with its no"`
	ClientProved  bool `json:"clientProved" doc:"the client itself did, with its own settings"`
}

// ClientFault is why a client is not known to ask the desk.
type ClientFault struct {
	Code   string `json:"code" enum:"bypass_mode,client_not_run,command_let_pass,desk_not_asked,environment_set,failure_not_seen,field_unknown,file_unreadable,hook_limited,hooks_disabled,managed_hooks_only,matcher_narrow,no_desk,no_hook,no_on_failure,other_client,other_program,other_words,policy_without_hook,program_missing,tool_ran,trust_unknown,untrusted_hook,written_otherwise,wrong_timeout"`
	Path   string `json:"path" doc:"of the file that says so; else empty"`
	Detail string `json:"detail" doc:"what was seen, in English or in the client's words"`
	Repair string `json:"repair" doc:"what a person can do, in English"`
}

// unconnected is a door that reaches no clients.
type unconnected struct{}

// Clients lists none.
func (unconnected) Clients(context.Context, ClientChoice) (ClientList, error) {
	return ClientList{}, nil
}

// Try knows no file.
func (unconnected) Try(context.Context, string, string, ClientChoice) ([]ClientTrial, error) {
	return nil, permission.NotFound("file of a client")
}

// Connect knows no file.
func (unconnected) Connect(context.Context, string, string, ClientChoice) (ClientConnected, error) {
	return ClientConnected{}, permission.NotFound("file of a client")
}

// Prove knows no file.
func (unconnected) Prove(context.Context, string) ([]ClientProof, error) {
	return nil, permission.NotFound("file of a client")
}

// Disconnect knows no file.
func (unconnected) Disconnect(context.Context, string, string, bool) (ClientDisconnected, error) {
	return ClientDisconnected{}, permission.NotFound("file of a client")
}

// Check knows no file.
func (unconnected) Check(context.Context, string) (ClientCheck, error) {
	return ClientCheck{}, permission.NotFound("file of a client")
}

// RemoveLeftovers knows none.
func (unconnected) RemoveLeftovers(context.Context, []string) (ClientDisconnected, error) {
	return ClientDisconnected{}, permission.NotFound("server of a client")
}

func (h *connectionRows) addConnections(a *restwire.API) {
	const binds = "The body says what the file was listed with (shown): 409 stale, and nothing is written, when the file, or what would be done to it, is another by now. 409 not_written when it cannot be done, with the reason in words. "
	restwire.Register(a, restwire.Row{Route: "GET /v1/connections", ID: "listConnections", Who: restwire.Operators,
		Summary: "List the configuration files of agents' clients on the desk's machine",
		About: "Each with where its tool servers stand, and with what connecting and disconnecting would write; secrets are masked. " +
			"They are the files of the user whom the desk runs as."}, h.listConnections)
	restwire.Register(a, restwire.Row{Route: "POST /v1/connections/{id}/connect", ID: "connectClient", Who: restwire.Operators,
		Summary: "Put the tool servers of a client's file behind the desk",
		About:   "They join the desk's list of servers, an agent is made for the client, and the file is written; what it was is kept. " + binds},
		h.connectClient)
	h.addProofs(a)
	restwire.Register(a, restwire.Row{Route: "POST /v1/connections/{id}/disconnect", ID: "disconnectClient", Who: restwire.Operators,
		Summary: "Put a client's file back as it was before it was connected",
		About: "A file that was changed since keeps its other changes. " + binds +
			"409 changed_since when it was listed as forced and force is not true."}, h.disconnectClient)
	restwire.Register(a, restwire.Row{Route: "POST /v1/connections/{id}/check", ID: "checkClient", Who: restwire.Operators,
		Summary: "Prove that the client of a file asks the desk before it runs a tool of its own",
		About: "Its hooks are started as they are configured, and the client itself works for a scripted model on the desk's machine: both with calls " +
			"that the desk always denies, so that nothing runs. What was not seen is not called closed. It takes up to some minutes; one check runs at a time."},
		h.checkClient)
	restwire.Register(a, restwire.Row{Route: "POST /v1/connections/leftovers/remove", ID: "removeLeftovers", Who: restwire.Operators,
		Summary: "Take servers off the desk's list that were left there when clients' files were put back",
		About:   "The body names them as they were listed (leftovers): 409 stale, and none is removed, when one of them is not left over any more."}, h.removeLeftovers)
}

type clientsIn struct {
	Hooks  bool     `query:"hooks" default:"true" doc:"with what makes apps ask about their own tools too, where that is known"`
	Carry  []string `query:"carry" maxItems:"100" doc:"names of variables, with commas between them, that go to the desk with the servers that would miss them, as secrets"`
	Limits bool     `query:"limits" doc:"with the apps' own limits on a call raised to what the desk waits"`
}

type clientsOut struct{ Body ClientList }

func (h *connectionRows) listConnections(ctx context.Context, in *clientsIn) (*clientsOut, error) {
	all, err := h.clients.Clients(ctx, ClientChoice{in.Hooks, in.Carry, in.Limits})
	all.Files, all.Leftovers, all.Apps = list(all.Files), list(all.Leftovers), list(all.Apps)
	for i := range all.Apps {
		all.Apps[i].Unasked = list(all.Apps[i].Unasked)
	}
	for i := range all.Files {
		f := &all.Files[i]
		f.Entries = list(f.Entries)
		for i := range f.Entries {
			f.Entries[i].Likely, f.Entries[i].Others = list(f.Entries[i].Likely), list(f.Entries[i].Others)
		}
		if f.Move != nil {
			f.Move.Difference.Lines = list(f.Move.Difference.Lines)
		}
		if f.Back != nil {
			f.Back.Entries, f.Back.Copies = list(f.Back.Entries), list(f.Back.Copies)
			f.Back.Theirs.Lines, f.Back.Difference.Lines = list(f.Back.Theirs.Lines), list(f.Back.Difference.Lines)
		}
	}
	return &clientsOut{all}, err
}

type connectIn struct {
	ID   string `path:"id"`
	Body struct {
		Shown  string   `json:"shown"`
		Hooks  *bool    `json:"hooks,omitempty" doc:"as the file was listed; left out, it is true"`
		Carry  []string `json:"carry,omitempty" nullable:"false" maxItems:"100" doc:"as the file was listed"`
		Limits bool     `json:"limits,omitempty" doc:"as the file was listed"`
	} `nameHint:"ConnectClient"`
}

func (in *connectIn) choice() ClientChoice {
	return ClientChoice{in.Body.Hooks == nil || *in.Body.Hooks, in.Body.Carry, in.Body.Limits}
}

type connectOut struct{ Body ClientConnected }

func (h *connectionRows) connectClient(ctx context.Context, in *connectIn) (*connectOut, error) {
	done, err := h.clients.Connect(ctx, in.ID, in.Body.Shown, in.choice())
	done.Left = list(done.Left)
	return &connectOut{done}, err
}

type disconnectIn struct {
	ID   string `path:"id"`
	Body struct {
		Shown string `json:"shown"`
		Force bool   `json:"force,omitempty" doc:"put entries back whatever was changed in them since, and a file that is gone"`
	}
}

type disconnectOut struct{ Body ClientDisconnected }

func (h *connectionRows) disconnectClient(ctx context.Context, in *disconnectIn) (*disconnectOut, error) {
	done, err := h.clients.Disconnect(ctx, in.ID, in.Body.Shown, in.Body.Force)
	done.Removed, done.Kept = list(done.Removed), list(done.Kept)
	return &disconnectOut{done}, err
}

type checkIn struct {
	ID string `path:"id"`
}

type checkOut struct{ Body ClientCheck }

func (h *connectionRows) checkClient(ctx context.Context, in *checkIn) (*checkOut, error) {
	found, err := h.clients.Check(ctx, in.ID)
	found.Reasons = list(found.Reasons)
	return &checkOut{found}, err
}

type leftoversIn struct {
	Body struct {
		Servers []string `json:"servers" nullable:"false" minItems:"1" maxItems:"1000"`
	} `nameHint:"RemoveLeftovers"`
}

func (h *connectionRows) removeLeftovers(ctx context.Context, in *leftoversIn) (*disconnectOut, error) {
	done, err := h.clients.RemoveLeftovers(ctx, in.Body.Servers)
	done.Removed, done.Kept = list(done.Removed), list(done.Kept)
	return &disconnectOut{done}, err
}
