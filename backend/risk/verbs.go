package risk

import (
	"slices"
	"strings"

	"sekisho/backend/command"
)

// destructive lists the verbs that raise the risk, with their plain inflections. They
// are those after which something is gone, stopped or shut out, and cannot simply be
// had back. Participles like "deleted" are not among them: list_deleted_files reads.
// Left out because they mostly mean something mild in the names of tools: clear,
// cancel, close, stop, disable, clean, empty, cut, replace, move.
const destructive = `
decommission decommissions decommissioning
del
delete deletes deleting deletion deletions
deprovision deprovisions deprovisioning
deregister deregisters deregistering
destroy destroys destroying destruction
discard discards discarding
drop drops dropping
erase erases erasing erasure
expunge expunges expunging
flushall
flushdb
format formats formatting
kill kills killing
killall
mkfs
nuke nukes nuking
obliterate obliterates obliterating
overwrite overwrites overwriting
pkill
poweroff
prune prunes pruning
purge purges purging
reboot reboots rebooting
remove removes removing removal removals
reset resets resetting
revoke revokes revoking revocation
rm
rmdir
shred shreds shredding
shutdown shutdowns
terminate terminates terminating termination
truncate truncates truncating truncation
uninstall uninstalls uninstalling uninstallation
unlink unlinks unlinking
unregister unregisters unregistering
wipe wipes wiping
`

// outwardTable lists the verbs of names that send or publish something, or act for a
// person outside, with their plain inflections.
const outwardTable = `
announce announces announcing
broadcast broadcasts broadcasting
charge charges charging
checkin
comment comments commenting
deploy deploys deploying
dispatch dispatches dispatching
donate donates donating
email emails emailing
forward forwards forwarding
invite invites inviting
invoice invoices invoicing
mail mails mailing
merge merges merging
message messages messaging
notify notifies notifying
pay pays paying payout payouts payment payments
post posts posting
publish publishes publishing
purchase purchases purchasing
push pushes pushing
refund refunds refunding
release releases releasing
reply replies replying
send sends sending sendemail sendmail sendmessage sendsms
share shares sharing
sms
submit submits submitting
transfer transfers transferring
tweet tweets tweeting
upload uploads uploading
withdraw withdraws withdrawing
wire wires
`

// outwardVerbs maps each form to its verb. Nobody writes to it.
var outwardVerbs = forms(outwardTable)

// things are verbs that are as often the name of a thing: they send only where they begin a
// name, or where what makes such a thing stands before them.
var things = strings.Fields("charge comment email forward invoice mail message notify post purchase push refund release reply share sms transfer " +
	"tweet upload wire checkin")

// acts begin the names of tools that make something which others see, and talks are such
// things.
var (
	acts  = strings.Fields("create add make write open new do edit update close reopen reply submit schedule request resolve acknowledge transition")
	talks = strings.Fields("incident incidents issue issues pr prs pull review reviews discussion gist ticket")
)

// quiet are words that begin the names of tools that look at a thing, besides those that
// read.
var quiet = strings.Fields("validate parse format is has verify preview render summarize classify analyze convert extract test draft filter sort " +
	"compare diff translate mark undo delete remove")

// begun reports whether a name says before a word that such a thing is made.
func begun(words []string, at int) bool {
	before := words[:at]
	and := slices.IndexFunc(before, func(w string) bool { return w == "and" || w == "then" || w == "or" })
	return at > 0 && (and >= 0 || containsAny(before[:min(at, 2)], acts) && !containsAny(before[:1], looking))
}

// outgoing reports whether a verb in a name says that the tool sends: one that reads things
// of that kind does not.
func outgoing(verb string, words []string, at int) bool {
	before, last := words[:at], len(words)-1
	thing := slices.Contains(things, verb)
	measured := slices.Contains(measures, words[last]) && (thing || at+1 < last && slices.Contains(dated, verb)) ||
		thing && slices.Contains([]string{"list", "get"}, words[last]) || words[last] == "status" && slices.Contains(running, verb)
	if at < last && measured && !begun(words, at) {
		return false
	}
	listed := at == len(words)-1 && slices.Contains([]string{"messages", "comments", "emails", "mails", "invoices"}, words[at])
	quietly := listed || containsAny(before, looking) || slices.Contains(things, verb) && containsAny(before, quiet) ||
		verb == "merge" && slices.Contains([]string{"base", "conflict", "conflicts", "sort"}, next(words, at)) ||
		verb == "post" && slices.Contains([]string{"process", "processing", "build", "install"}, next(words, at))
	return !quietly || begun(words, at)
}

// measures end the names of tools that look at a thing, or read it, dated are verbs that are the beginning of such a
// thing's name, as a publish date, and running such as have a state.
var (
	running  = strings.Fields("deploy upload transfer pay release refund purchase merge")
	measures = strings.Fields("count counts format parser validator lookup search read reader viewer length schema")
	dated    = strings.Fields("publish deploy merge submit")
)

// acting are verbs of names that act for a person together with what stands behind them.
var acting = map[string][]string{
	"place": {"order", "bid", "bet", "trade", "call"}, "execute": {"trade", "order", "payment"}, "make": {"call", "payment", "donation"},
	"confirm": {"order", "booking", "payment"}, "book": {"flight", "hotel", "ticket", "table", "room", "appointment", "ride"},
	"approve": {"pull", "pr", "review", "merge", "payment", "deployment"}, "reject": {"pull", "pr", "review", "merge"},
	"run": {"workflow"}, "trigger": {"workflow", "deployment"}, "rerun": {"workflow"},
}

// services are where what is made is seen by others.
var services = strings.Fields("confluence jira notion slack discord zendesk hubspot salesforce sharepoint")

// edited are words behind the name of what others see that say that it is made or changed.
var edited = strings.Fields("write create update edit comment close reopen")

// actsFor reports whether a word of a name acts for a person, or makes something that others see.
func actsFor(words []string, at int) bool {
	objects, behind := acting[words[at]], words[at+1:min(len(words), at+3)]
	switch {
	case at == 0 && slices.Contains(acts, words[0]) && containsAny(words[1:], services):
		return true
	case at == 0 && slices.Contains(talks, words[0]) && containsAny(words[1:], edited):
		return true
	case objects == nil || containsAny(words[:min(at, maxWords)], looking):
		return false
	case words[at] == "make" || words[at] == "place":
		return slices.Contains(objects, words[len(words)-1])
	}
	return containsAny(behind, objects)
}

// leading are verbs that names have before a program, by which it acts elsewhere.
var leading = strings.Fields("apply upgrade rollback scale sync install")

// ofProgram gives the verb of a program of the table beside its name, by which it acts elsewhere or destroys.
func ofProgram(words []string, at int) (verb string, effects command.Effect) {
	if !command.Known(words[at]) {
		return "", 0
	}
	const grave = command.Sends | command.Destroys
	if first := next(words, at); first != "" {
		second := next(words, at+1)
		if effects = command.VerbEffects(words[at], first, second) & grave; effects != 0 {
			if second != "" && command.VerbEffects(words[at], first, "")&grave == 0 {
				first = second
			}
			return first, effects
		}
	}
	if at > 0 && slices.Contains(leading, words[at-1]) {
		return words[at-1], command.VerbEffects(words[at], words[at-1], "") & grave
	}
	return "", 0
}

func next(words []string, at int) string {
	if at+1 < len(words) {
		return words[at+1]
	}
	return ""
}

// verbs maps each form to its verb. Nobody writes to it.
var verbs = forms(destructive)

func forms(table string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		for _, form := range words {
			all[form] = words[0]
		}
	}
	return all
}

// media are what is lost when it is formatted; dates, code and text are not.
var media = []string{"disk", "disks", "drive", "drives", "volume", "volumes", "partition", "partitions", "filesystem",
	"device", "usb", "sd", "card", "storage", "hdd", "ssd"}

// views are what a program shows; to reset one loses nothing.
var views = []string{"view", "views", "viewport", "zoom", "pan", "camera", "cursor", "scroll", "focus", "selection",
	"filter", "filters", "layout", "timer"}

// joining are words between two verbs, undoing such before a verb by which something comes back, or stays, and undone what
// may. asking begin the names of tools that only ask, and works are verbs of works whose state is asked for.
var (
	joining = strings.Fields("and then or")
	undone  = strings.Fields("delete remove discard drop")
	undoing = strings.Fields("undo prevent restore recover")
	asking  = strings.Fields("get show describe is has")
	works   = strings.Fields("purge prune terminate shutdown reboot decommission")
)

// maxWords is more than the name of a tool has.
const maxWords = 16

// harmless knows names that ask, and the three verbs that are more often something else, by the words
// around them: one formats dates (only media are lost by it), resets a view, and drags
// and drops into drop downs, drop zones and drop boxes. All other alarms stay: a false
// one costs a person a closer look, a missed one may cost the data.
func harmless(verb string, words []string, at int) bool {
	next, last := next(words, at), len(words)-1
	alone := last < maxWords && !containsAny(words, joining)
	switch {
	case at > 0 && (slices.Contains(undoing, words[at-1]) || words[0] == "undo" && alone) && slices.Contains(undone, verb):
		return true
	case at > 0 && at < last && slices.Contains(asking, words[0]) && alone:
		return true
	case at == last-1 && slices.Contains(works, verb) && slices.Contains([]string{"status", "check", "progress"}, words[last]):
		return true
	}
	switch verb {
	case "format":
		return !slices.ContainsFunc(near(words, at), func(w string) bool { return slices.Contains(media, w) })
	case "reset":
		return slices.Contains(views, next)
	case "drop":
		return slices.Contains([]string{"down", "zone", "box", "shadow"}, next) || slices.Contains(near(words, at), "drag")
	}
	return false
}

// near gives the words around one: enough to see what it is about, and few, so that a
// name of one verb many times stays cheap.
func near(words []string, at int) []string {
	return words[max(0, at-3):min(len(words), at+4)]
}

// reader reports whether a tool's name says that it only looks at files.
func reader(words []string) bool { return containsAny(words, readers) && !containsAny(words, makers) }

// A tool whose name has only the former looks at a file and does not make or start it.
var (
	readers = strings.Fields("read list stat view show search find grep describe info head tail exists")
	makers  = strings.Fields(
		"write create save make put run exec execute launch open start install download fetch move rename copy upload edit update replace append apply patch set add and or")
)

// looking are words that begin the names of tools that change nothing, as far as names say.
var looking = strings.Fields("read get list ls stat view show search find grep describe info head tail exists fetch load cat tree directory " +
	"glob count check open download inspect lookup query browse")

// readsByName reports whether a tool's name says that it changes nothing.
func readsByName(words []string) bool {
	at := slices.IndexFunc(words, func(w string) bool { return slices.Contains(looking, w) })
	return at >= 0 && !slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains(makers, w) && !slices.Contains(looking, w)
	})
}
