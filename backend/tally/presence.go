package tally

import "sekisho/backend/permission"

// Presence is when a person was at the desk.
type Presence struct {
	SeenAt           permission.Time // last
	AwayFrom, AwayTo permission.Time // the last time that nobody was there; 0 is none
	PausedUntil      permission.Time // how long the person takes a break; 0 is not at all
}
