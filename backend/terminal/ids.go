package terminal

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"sekisho/backend/permission"
	"sekisho/backend/restclient"
	"sekisho/backend/usage"
)

// shownEnding is how many digits of an id are shown.
const shownEnding = 6

// short is a call's name at a terminal: the last digits of its id, since ids that were made
// together begin alike, and the rev that is shown.
func short(id permission.CallID, rev int64) string {
	return ending(id) + "." + strconv.FormatInt(rev, 10)
}

func ending(id permission.CallID) string {
	all := digitsOf(string(id))
	return all[max(0, len(all)-shownEnding):]
}

// naming says how many calls that wait together end alike, so that each has a name of its own. An agent that
// asks often enough has two that end alike, and could take back the one that is answered.
type naming map[string]int

func namesOf(waiting []permission.Call) naming {
	n := naming{}
	for _, c := range waiting {
		n[ending(c.ID)]++
	}
	return n
}

// of is a call's short name, with the whole of its id where another one ends alike.
func (n naming) of(id permission.CallID, rev int64) string {
	if n[ending(id)] > 1 {
		return string(id) + "." + strconv.FormatInt(rev, 10)
	}
	return short(id, rev)
}

func digitsOf(id string) string { return strings.ReplaceAll(strings.ToLower(id), "-", "") }

// named is what a person typed for a call.
type named struct {
	ending string // digits that its id ends with
	whole  bool   // all of them
	rev    int64  // that was shown; 0 is not said
}

// endings are what is enough of an id.
var endings = regexp.MustCompile(`^[0-9a-f]{4,31}$`)

// parseName reads an id, or its ending, with the rev where it is said.
func parseName(typed string) (n named, err error) {
	none := usage.Wrong(fmt.Errorf("%q is no call: \"sekisho pending\" shows the ids of those that wait, and at least 4 digits of an id's end are enough",
		permission.Short(typed, maxCell)))
	id, rev, said := strings.Cut(strings.ToLower(typed), ".")
	if said {
		if n.rev, err = strconv.ParseInt(rev, 10, 64); err != nil || n.rev < 1 {
			return n, none
		}
	}
	n.ending = digitsOf(id)
	n.whole = len(id) == len(uuid.Nil.String()) && uuid.Validate(id) == nil
	if !n.whole && !endings.MatchString(id) {
		return n, none
	}
	return n, nil
}

// find gives the call that is meant: one that waits, where the ending alone is said.
func (n named) find(ctx context.Context, desk *restclient.Client) (permission.Call, error) {
	if n.whole {
		id, err := uuid.Parse(n.ending)
		if err != nil {
			return permission.Call{}, err
		}
		return desk.Call(ctx, permission.CallID(id.String()))
	}
	waiting, err := desk.PendingBriefly(ctx)
	if err != nil {
		return permission.Call{}, err
	}
	id, err := n.among(waiting)
	if err != nil {
		return permission.Call{}, err
	}
	return desk.Call(ctx, id)
}

// among finds the one call whose id ends so.
func (n named) among(waiting []permission.Call) (permission.CallID, error) {
	var found []permission.Call
	for _, c := range waiting {
		if strings.HasSuffix(digitsOf(string(c.ID)), n.ending) {
			found = append(found, c)
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("no call that waits ends with %s: it may be answered or expired; \"sekisho pending\" shows those that wait", n.ending)
	case 1:
		return found[0].ID, nil
	}
	longer := make([]string, len(found))
	for i, c := range found {
		longer[i] = string(c.ID)
	}
	return "", fmt.Errorf("%d calls that wait end with %s: say more digits of %s", len(found), n.ending, strings.Join(longer, " or "))
}
