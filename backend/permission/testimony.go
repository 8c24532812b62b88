package permission

import "encoding/json"

// Difference is a row that reads other than the journal says that it was left: a bit of
// the disk turned, or another program wrote it. Until a person has said which version
// holds, nothing is allowed without asking.
type Difference struct {
	ID      string          `json:"id" doc:"names exactly these two versions"`
	Set     string          `json:"set" doc:"what it is one of" enum:"rules,grants,settings,servers,agents,tools,journal"`
	Key     string          `json:"key" doc:"its id; of a tool its server's, a slash and its name; of the journal the number of an entry, or name"`
	Journal json.RawMessage `json:"journal" doc:"its columns as the journal says; null: there was no such row"`
	Table   json.RawMessage `json:"table" doc:"its columns as they stand; null: there is no such row"`
}

// SetJournal is the set of a difference that lies in the journal itself: what it says of
// the rules and the other sets is damaged, so that nothing can be held against it.
const SetJournal = "journal"

// JournalNameKey is the key of the difference that the journal's name is lost, by which it
// is signed. Of other differences of the journal it is the number of an entry.
const JournalNameKey = "name"

// Version says which version of a Difference a person takes.
type Version string

// The versions of a difference.
const (
	VersionJournal Version = "journal" // as the journal says: the table is put right
	VersionTable   Version = "table"   // as it stands
)
