package risk

import (
	"slices"
	"strings"
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
send sends sending
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
	before := words[:at]
	listed := at == len(words)-1 && slices.Contains([]string{"messages", "comments", "emails", "mails", "invoices"}, words[at])
	quietly := listed || containsAny(before, looking) || slices.Contains(things, verb) && containsAny(before, quiet) ||
		verb == "merge" && slices.Contains([]string{"base", "conflict", "conflicts", "sort"}, next(words, at)) ||
		verb == "post" && slices.Contains([]string{"process", "processing", "build", "install"}, next(words, at))
	return !quietly || begun(words, at)
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

// harmless knows the three verbs that are more often something else, by the words
// around them: one formats dates (only media are lost by it), resets a view, and drags
// and drops into drop downs, drop zones and drop boxes. All other alarms stay: a false
// one costs a person a closer look, a missed one may cost the data.
func harmless(verb string, words []string, at int) bool {
	next := ""
	if at+1 < len(words) {
		next = words[at+1]
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
