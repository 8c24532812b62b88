package permission

import "time"

// Project is what agents work on together: its members, each with the role of its sessions.
type Project struct {
	ID        ProjectID        `json:"id"`
	Members   map[AgentID]Role `json:"members"`
	CreatedAt Time             `json:"createdAt"`
	UpdatedAt Time             `json:"updatedAt"`
}

// NoProject is what is said to have been seen last of a project that is to be a new one.
const NoProject Time = -1

// Valid says what is wrong with the id of a project.
func (p ProjectID) Valid() error {
	if !serverID.MatchString(string(p)) || reserved[string(p)] {
		return Invalid("projectId", FieldIDForm, "the id of a project is 1 to 64 letters, digits, dots, dashes or underscores")
	}
	return nil
}

const (
	// PasskeyLife is how long a passkey may be changed for a token.
	PasskeyLife = 10 * time.Minute
	// SessionLife is how long the token of a session lives where nobody said otherwise, and
	// MaxSessionLife the most that can be said.
	SessionLife    = 8 * time.Hour
	MaxSessionLife = 24 * time.Hour
)

// MadeSession is a session that the desk made: an agent does not choose what it is in it. Its
// passkey is changed once for its token.
type MadeSession struct {
	ID      SessionID
	AgentID AgentID
	Standing
	TTL          time.Duration // of its token
	CreatedAt    Time
	PasskeyUntil Time // until when the passkey may be changed; 0: it was
	ExpiresAt    Time // of the token; 0: there is none yet
	EndedAt      Time // 0: it was not ended
}

// Live reports whether its token is good at a time.
func (s *MadeSession) Live(at Time) bool {
	return (s.EndedAt == 0 || at < s.EndedAt) && at < s.ExpiresAt
}

// Over reports whether nothing can come of it any more.
func (s *MadeSession) Over(at Time) bool {
	return !s.Live(at) && (s.EndedAt != 0 || at >= s.PasskeyUntil)
}

// Passkey is an attempt to change a passkey for a token, both by their hashes.
type Passkey struct {
	Hash      string
	AgentID   AgentID
	ProjectID ProjectID // "": whichever it is of
	TokenHash string
	At        Time
}
