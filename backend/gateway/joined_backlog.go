package gateway

// waiting is a message that waits for the GET stream.
type waiting struct {
	raw []byte
	of  *session // the member that said it; nil where there is none
}

// crowded gives the oldest message of the one that fills most of a backlog, which has a
// bound of messages and one of bytes: what a member floods shall not cost the others' words.
func crowded(backlog []waiting) (oldest int) {
	alone := true
	for _, w := range backlog {
		alone = alone && w.of == backlog[0].of
	}
	if alone {
		return 0
	}
	fills := map[*session]int{}
	for _, w := range backlog {
		fills[w.of] += len(w.raw) + maxKept/maxBacklog
	}
	for i, w := range backlog {
		if fills[w.of] > fills[backlog[oldest].of] {
			oldest = i
		}
	}
	return oldest
}
