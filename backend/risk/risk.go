// Package risk judges how careful to be with a call, by what the call itself says: the
// line of a shell that it would run, the files, hosts, statements and keys in its input,
// the verbs of its tool's name. Low is only what the desk knows to change and send
// nothing, or what a person called low; medium is all else; high is what destroys, sends,
// touches secrets, steers what runs later, takes more rights, or could deceive. What
// servers and agents say can only raise the risk: a tool that calls itself harmless is
// not believed. Each level above low has its reasons, with the part of the input that is
// meant; of low there is one where a person gave it.
package risk

import (
	"sekisho/backend/command"
	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// Judge gives the risk of a call and the reasons of that level, which are never nil.
func Judge(c Call) (permission.Risk, []permission.RiskReason) {
	j := judge{Call: c, level: permission.RiskLow}
	j.all()
	switch {
	case len(j.high) > 0:
		return permission.RiskHigh, j.high
	case len(j.medium) > 0:
		return permission.RiskMedium, j.medium
	case j.given:
		return permission.RiskLow, []permission.RiskReason{Reason(permission.RiskPerson, "", nil)}
	}
	return permission.RiskLow, []permission.RiskReason{}
}

// Parts gives the risk of each part of the call's line, with that of all around the line; none
// where there is no line.
func Parts(c Call) []permission.Risk {
	j := judge{Call: c, level: permission.RiskLow}
	j.all()
	for i := range j.parts {
		j.parts[i] = higher(j.parts[i], j.level)
	}
	return j.parts
}

// all judges the call.
func (j *judge) all() {
	c := &j.Call
	j.names()
	members, err := rawjson.Members(c.Input)
	if err != nil {
		members = nil
	}
	order, line := command.Find(rawjson.Values(members))
	if line = line && !order.Editor; line {
		j.line(order, members)
	}
	j.input(members, order, line)
	switch {
	case c.Level != nil && *c.Level != permission.RiskLow:
		j.add(*c.Level, permission.RiskPerson, "", nil)
	case c.Level != nil:
		j.given = !line
	case !line && !j.harmless():
		j.add(permission.RiskMedium, permission.RiskUnknownTool, "", nil)
	}
}

// harmless reports whether the desk knows that the tool changes and sends nothing.
func (j *judge) harmless() bool {
	return j.Own && (j.Tool == "read_file" || j.Tool == "list_directory")
}
