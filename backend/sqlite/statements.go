package sqlite

// The statements that are prepared once, and the conditions in them.

// sameCall is the condition of the row with a new call's identity: one that is entered,
// or the recent one that has its hash.
const sameCall = `(seq = ?7 OR seq IN (SELECT seq FROM identities WHERE identity = ?2)) AND agent_id = ?1 AND run_id = ?3 AND tool_call_id = ?4`

// countWaiting counts a new call that waits.
const countWaiting = `INSERT INTO waiting (agent_id, calls, bytes) VALUES (?, 1, ?)
	ON CONFLICT (agent_id) DO UPDATE SET calls = calls + 1, bytes = bytes + excluded.bytes`

// askedHash is permission.Call's AskedHash, as the index calls_gone has it to the letter.
const askedHash = "COALESCE(asked_hash, original_hash, input_hash)"

// meeting is all that a new call can meet, in one statement: most meet nothing.
const meeting = `SELECT version, EXISTS (SELECT 1 FROM removed_agents WHERE id = ?1),
	EXISTS (SELECT 1 FROM calls WHERE ` + sameCall + `),
	EXISTS (SELECT 1 FROM calls WHERE agent_id = ?1 AND caller_gone = 1 AND ` + askedHash + ` = ?5),
	EXISTS (SELECT 1 FROM denials WHERE agent_id = ?1 AND session_id = ?6 AND asked_hash = ?5),
	EXISTS (SELECT 1 FROM grants WHERE agent_id = ?1 AND session_id = ?6),
	COALESCE(waiting.calls, 0), COALESCE(waiting.bytes, 0)
	FROM policy LEFT JOIN waiting ON waiting.agent_id = ?1`

// byStop is the condition of a call that was refused because a person stopped its agent. No word
// of a person looks like it: quotes in it are escaped.
const byStop = `instr(decision, '"code":"agent_stopped"')`

const insertPlace = "INSERT INTO places (rule_id, at) VALUES (?, ?)"

// decided is a call's decision where it is JSON: SQLite would fail at one that is not, and
// with it what is asked of all other calls.
const decided = "CASE WHEN json_valid(decision) THEN decision END"
