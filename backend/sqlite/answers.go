package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"sekisho/backend/permission"
)

// Bounds of the inputs that answers are given with, in bytes: of one, and of all.
const (
	maxAnsweredInput  = 16 << 10
	maxAnsweredInputs = 16 << 20
)

// knownInput is the place of a call whose input can be looked at, and is what its caller
// asked for; NULL for others. It reads the input's length alone.
const knownInput = "IIF(input_wiped = 0 AND original_hash IS NULL AND octet_length(input) <= ?1, seq, NULL)"

// answers counts what persons said of the newest decided calls, by input and folder, and
// adds every tool of the newest calls with the highest risk that one of them had. What
// denial memory or a grant said again is not counted. The last column is the call to read
// the input of.
const answers = `SELECT server_id, tool_name, cwd, MAX(risk), SUM(json_extract(decision, '$.approved')), SUM(1 - json_extract(decision, '$.approved')), MAX(known)
	FROM (SELECT server_id, tool_name, cwd, input_hash, status, ` + decided + ` AS decision, seq, ` + riskRank + ` AS risk, ` + knownInput + ` AS known
		FROM calls WHERE decision IS NOT NULL ORDER BY seq DESC LIMIT ?2)
	WHERE status NOT IN ('cancelled', 'expired') AND json_extract(decision, '$.by') = 'person' AND json_extract(decision, '$.remembered') IS NULL
	GROUP BY server_id, tool_name, cwd, input_hash, known IS NULL
	UNION ALL
	SELECT server_id, tool_name, NULL, MAX(risk), 0, 0, MAX(known)
	FROM (SELECT server_id, tool_name, ` + riskRank + ` AS risk, ` + knownInput + ` AS known FROM calls ORDER BY seq DESC LIMIT ?2)
	GROUP BY server_id, tool_name
	ORDER BY 7 DESC`

// Answers gives what persons said of the newest calls, by server, tool, folder and input,
// and every tool of the newest calls once more without answers, with the highest risk of
// its calls. The input is left out where it was wiped, edited by the person or is large,
// and from where on they are large together, beginning with the newest.
func (s *Store) Answers(ctx context.Context, newest int) (list []permission.Answered, err error) {
	t, err := s.reader.BeginTx(ctx, nil) // one view of the calls
	if err != nil {
		return nil, fmt.Errorf("count answers: %w", err)
	}
	defer t.Rollback()
	list, places, err := countAnswers(ctx, t, newest)
	if err == nil {
		err = readInputs(ctx, t, list, places)
	}
	if err != nil {
		return nil, fmt.Errorf("count answers: %w", err)
	}
	return list, nil
}

// countAnswers leaves the inputs out. Places say which calls have them, where one has.
func countAnswers(ctx context.Context, t *sql.Tx, newest int) (list []permission.Answered, places []sql.NullInt64, err error) {
	rows, err := t.QueryContext(ctx, answers, maxAnsweredInput, newest)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var a permission.Answered
		var risk int
		var place sql.NullInt64
		if err := rows.Scan(&a.ServerID, &a.ToolName, &a.Cwd, &risk, &a.Approved, &a.Declined, &place); err != nil {
			return nil, nil, err
		}
		a.MaxRisk = riskOf(risk)
		list, places = append(list, a), append(places, place)
	}
	return list, places, rows.Err()
}

// readInputs fills the inputs in, as many as there is room for.
func readInputs(ctx context.Context, t *sql.Tx, list []permission.Answered, places []sql.NullInt64) error {
	read, err := t.PrepareContext(ctx, "SELECT input FROM calls WHERE seq = ?")
	if err != nil {
		return err
	}
	defer read.Close()
	left := maxAnsweredInputs
	for i := range list {
		if !places[i].Valid || left < maxAnsweredInput {
			continue
		}
		var input []byte
		if err := read.QueryRowContext(ctx, places[i].Int64).Scan(&input); err != nil {
			return err
		}
		list[i].Input = input
		left -= len(input)
	}
	return nil
}
