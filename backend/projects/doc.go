// Package projects is the door of brief 4: the tools of workspaces over REST, with its own words,
// paths and events. A project is a workspace, an entry of the servers, by its id.
//
// An agent asks for a tool (POST …/tools/execute), and waits for what comes of it (GET
// …/tools/{tool_id}?wait=): as long as it asks again within a minute it is there, and else its call
// is left until it is back, since nothing runs for nobody. A person approves or rejects. The tool
// then runs in a process that the desk starts for it (run.go), or, where the files are elsewhere,
// an executor hears of it (events.go), claims it and reports the result (result.go).
//
// Calls, decisions and claims are the desk's: this door adds words to them, and no state that
// matters. What it has in memory is who waits (presence.go).
package projects
