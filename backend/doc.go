// Package backend is the desk between AI agents and the tools they call, without its
// window. What follows is the plan of the house; deps_test.go holds it.
//
// # Floors
//
// Every folder is a room, and every room stands on a floor. Imports run downward only,
// never between rooms of one floor, so that a room can be read, tested and replaced with
// nothing in mind but what lies below it.
//
//	0  backend      the product's version
//	   frontend     the built pages, embedded
//	   usage        words: what is wrong usage of a program of several commands
//	   shell        words: a text as a shell reads it; its words, quotes and braces
//	   filter       words: a program of awk, sed or jq; whether it only prints
//	   beside       words: what a member of an input is to a line beside it
//	   rowcheck     words: numbers of the values in a row, by whose sum damage is found
//	   lazyregexp   regular expressions that are compiled when they are first used
//	1  permission   words: rule, call, decision, agent, journal entry, error
//	   pattern      words: the * of tool patterns
//	   rawjson      words: strict JSON that keeps its bytes
//	   command      words: a shell line taken apart; one table of programs and verbs
//	   place        words: where data, settings and the desk's address lie
//	   spoof        words: characters that hide, and those that look like others
//	   proof        words: how a desk proves itself before it is given a token
//	   quota        counts in sliding windows of time: limits of rules, the brake of loops
//	   environ      words: what agents' clients hand on of their environment to tool servers
//	   hookcommand  words: the command line by which a client's hook asks the desk
//	   process      starts programs so that all that they start ends with them
//	2  proved       HTTP connections over which a desk has proved itself
//	   journalkey   keeps the keys that journals are signed with
//	   operatorkey  the key of the person at a desk without a window, and what it signs
//	   hookline     asks the desk for a hook's program: proof and event on one connection
//	   mcpwire      words: MCP messages on raw bytes; no state
//	   restwire     words: how a REST request is read and answered, whatever it is about
//	   policy       judge: rules + call -> decision and reason
//	   authz        judge: role x purpose: may this caller use this tool at all
//	   callsql      words: the conditions in SQL by which rows of calls are found
//	   risk         judge: low, medium or high, with reasons
//	   toolbook     judge: what is known of servers' tools; is one still what was allowed
//	   guard        judge: paths, commands and sizes of the workspace tools
//	   resume       holds the data of an answer against the schema of its call
//	   agentbook    who may ask: agents by their tokens, and which a person has stopped
//	   sessionbook  what agents are in the sessions that the desk made, and which are coordinators
//	   canary       nonces by which a program proves that this desk is asked
//	   broker       the life of a call: suspend, decide, claim, finish, expire, cancel
//	   bus          live events to whoever listens; a slow listener is dropped
//	   database     keeper: the file of a desk: looked over, migrated, copied, written in groups
//	   secret       keeper: what must not stand in the database, in a file of its own
//	   diff         the difference between two texts
//	   attention    which call each page has in view, and which for long enough to approve it
//	   tally        words: how many calls of a kind there were when; buckets of hours and days
//	   rewrite      replaces a person's file whole or not at all, if it is what was shown
//	   conftext     changes JSON, JSON with comments and TOML in place
//	3  tool         the workspace tools: files by one handle of a folder, commands confined to it
//	   workspace    judge: calls of the workspace tools, before the rules
//	   advice       what is odd about rules, and what others would do: judges nothing
//	   reach        what rules can never allow, proved, and examples of what they do
//	   show         what a call would do, in forms that a person reads: never writes
//	   upstream     a server behind the desk: a process, HTTP, or in-process; with redaction
//	   signin       signs in to protected servers, and has their tokens
//	   opa          what would happen to a call, in the dialect of OPA's data API
//	   attend       the call runner of all doors: ask, wait, claim, execute, record
//	   handover     asks a desk over REST about tools that an agent's own program runs
//	   journal      the hash chain of what happened, and the rows that it vouches for
//	   roles        the use case: roles of agents, projects, and sessions with a passkey and a token
//	   rolesql      a part of the store: roles, projects, executors and sessions in SQL
//	   sessionfile  the file by which the tool servers of one agent share a session
//	   executors    the use case: programs that run the tools of workspaces where the files are
//	   keylogin     lets the person in who has the operator's key, of which the desk has the public half
//	   restclient   speaks a desk's REST, with a token or with the operator's key
//	   history      reads what agent programs have written on this disk: calls, permission lists
//	   toolhelp     says to a caller which tools it may use, which will ask, and what one takes
//	   coordination the use case: tasks of agents, conversations, and what each is to do next
//	   insights     the use case: what questions ask of a person over time; absences and breaks
//	4  desk         the use case: catalogue, policy, calls, journal, demonstration
//	   session      one connection of an MCP client and its server's side
//	   era          lets a client of one era of MCP use a server of the other
//	   sqlite       keeper: the store in SQL: one method a transaction, with its journal entries
//	   workstore    keeper: tasks, conversations and messages in SQL, with their journal entries
//	   apiwords     words: the closed words and the fields of the REST API, for its document
//	   learn        what rules would have made of a history, and which few would answer it
//	   trial        starts a tool server once, asks for its tools or calls one, and ends it
//	5  joined       all servers behind the desk as one, for the MCP door
//	   builtin      runs the tools that the desk itself has on MCP servers: coordination, help
//	   projects     door: the workspace tools over REST, in the words of brief 4
//	   executor     runs approved calls of a workspace where its files are, for a desk
//	6  gateway      door: MCP, a server to agents and a client to servers
//	   rest         door: REST and live events; serves the pages
//	   hook         door: hooks of agent programs, one file for each dialect
//	   claudecode   door: Claude Code's control protocol, from the side of sekisho run
//	   acp          door: the Agent Client Protocol, between an editor and its agent
//	   connect      finds and wires the settings of agent programs
//	   terminal     the commands for people at a terminal: status, watch, rules, service
//	   notify       notifications, tray, sound
//	7  doctor       proves that agent programs ask the desk before they run a tool
//	   present      tells which agent programs are on this machine
//	   bothways     starts servers directly and behind the desk, and compares their tools
//	8  server       one configuration -> store, desk and doors, opened and closed in order
//	9  cmd/*        the programs; the window is main.go in the module's root
//
// The storage contracts, storetest and worktest, the plain model of the rules, rulestest, a clock of CPU
// time, cputime, the replay of recorded work, economy, the programs' manual, manualtest, the shared cases
// of the workspace tools, tooltest, and a listener in memory, pipetest, stand beside the floors: tests
// alone use them.
// Rooms of this plan that are not built yet are called planned, and have no folder.
//
// # What must always hold
//
// Nothing runs without an allow rule or a person's yes: no match, an error, a doubt or a
// dead desk means ask or refuse. The agent cannot approve itself: deciding verbs are
// behind the operator's credential, or in the window's own process. What was shown is
// what runs: an answer binds to the hash of the call, and the bytes executed are those
// of the row. A held call survives: kill the desk or the agent at any moment, and no
// held call is lost and none runs twice. The first answer stands: every transition is
// one guarded UPDATE with its journal row in the same transaction. And the rules screen
// and the enforcement run the same code.
//
// # Words
//
// The machine allows, asks or denies; a person approves or declines; the clock expires;
// the caller cancels. Four actors, four families of verbs, so that no line of the
// journal needs to say who. Foreign words (MCP's accept, a hook's block) stay in the
// door that speaks that language.
//
// # The life of one tools/call
//
//	restwire/gateway.go    finds the agent of the token, and lets it have so much under way
//	gateway/http.go        reads the POST of an agent to /mcp/{server}, and finds its session
//	gateway/modern.go      the agent's shared one in the era without sessions
//	joined/pass.go         at /mcp: finds the member that the joined name is of, and hands it over
//	gateway/relay.go       sends what is judged on to call.go, and lets the rest cross as it is
//	mcpwire/act.go         takes the params apart: name, arguments, envelope, progress token
//	session/session.go     admits the request under its id, so that it can be cancelled
//	gateway/unlisted.go    refuses a tool that the server does not have, unless it is allowed
//	attend/attend.go       runs it: asks the desk, which keeps it or says why not
//	desk/ask.go, judge.go  make the call: input and envelope checked and hashed
//	policy, risk           judge it: rules in force, hold, risk; pure
//	toolbook/book.go       holds it against the tool that was allowed before; desk/pin.go keeps it
//	broker/broker.go       suspends it; broker/claim.go: what a rule allows is claimed at once
//	sqlite/suspend.go      keeps row and journal entries in one transaction, or finds the call
//	                       that is asked for again; a grant or a remembered decline settles it
//
// Where it waits:
//
//	bus, rest/events.go    tell the window and the operators' pages that it waits
//	show                   says there what it would do
//	attend/wait.go         waits with signs of life; in the end it tells PENDING, and leaves
//	desk/answers.go        takes a person's answer to what was shown, and broker/decide.go the
//	                       one guarded change; sqlite/reply.go keeps it with its grant
//	desk/claim.go          judges once more when the call is claimed, with its bytes held
//	                       against their hash
//
// Where it runs:
//
//	gateway/call.go        makes the message of the row's bytes and dispatches it
//	era/bridge.go          translates it for a server that speaks only the other era of MCP
//	upstream/child.go, remote.go, builtin.go   the server; redact.go hides secrets
//	session/route.go       finds the request that the answer belongs to, and its stream
//	attend/execute.go      records what came of it, and asks whether it is answerable: whether
//	                       the call itself outlives a loss of power (database/disk.go)
//	session/stream.go      answers the client, as JSON or an event stream
package backend
