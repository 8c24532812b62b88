package permission

import "time"

// ClientHabit is what was seen of how long an agent's client waits for a person.
type ClientHabit struct {
	Agent  AgentID
	Client string        // as it names itself
	Limit  time.Duration // it leaves after that; 0 is not known
	Grown  time.Duration // it is trusted to wait so long, beyond what is known otherwise
	Wary   int           // how often it has yet to come back before it is trusted for longer
}

// MaxClientHabits bounds how many are remembered of one agent, which names its clients as it likes.
const MaxClientHabits = 100
