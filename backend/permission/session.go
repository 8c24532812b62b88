package permission

// SessionState says what a session is at.
type SessionState string

// The states of a session.
const (
	SessionWorking SessionState = "working"
	SessionReview  SessionState = "review" // a call of it waits for a person
	SessionEnded   SessionState = "ended"
)

// SessionStates lists every state.
var SessionStates = [...]SessionState{SessionWorking, SessionReview, SessionEnded}

// Session is one stretch of an agent's work: as the desk keeps it in calls and grants, as a
// connection, or both. Role, Purpose and ProjectID are nil where the desk did not make it.
type Session struct {
	ID         SessionID    `json:"id"`
	AgentID    AgentID      `json:"agentId"`
	AgentName  string       `json:"agentName"`
	Client     *string      `json:"client"`
	Cwd        *string      `json:"cwd"`
	Role       *Role        `json:"role"`
	Purpose    *Purpose     `json:"purpose"`
	ProjectID  *ProjectID   `json:"projectId"`
	State      SessionState `json:"state"`
	Pending    int          `json:"pending"`
	CreatedAt  Time         `json:"createdAt"`
	LastSeenAt Time         `json:"lastSeenAt"`
	ExpiresAt  Time         `json:"expiresAt"` // of the token that the desk made; null: it made none, or not yet

	Granted bool `json:"-"` // a grant of it stands
	Open    bool `json:"-"` // a call of it waits, runs or may still be claimed
}
