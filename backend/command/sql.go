package command

import (
	"slices"
	"strings"

	"sekisho/backend/lazyregexp"
)

var (
	sqlRemarks = lazyregexp.New(`(?s)--[^\n]*|/\*[^!].*?\*/|'(?:[^']|'')*'`)
	// sqlOdd are quotes and remarks that databases read in different ways: what stands in them
	// counts, too.
	sqlOdd = lazyregexp.New("--|/\\*|[\"`#\\[]|\\$\\w*\\$|\\\\'")
	// sqlInText is what runs a statement that a text of another one holds.
	sqlInText = lazyregexp.New(`(?i)\b(query_to_\w+|dblink\w*|external_query|openquery|openrowset|exec|execute|prepare|sp_executesql)\b`)
	sqlShell  = lazyregexp.New(`(?im)\\[!P]|\\(o|g|gx|w|s|copy|watch)[^\n]*\||\\copy[^\n]*program|\\set\s[^\n]*` + "`" + `|` +
		`\bcopy\b[^;]*\bprogram\b|^\s*(system|pager|tee|edit|source)\b|\b(load_extension|writefile|fts3_tokenizer|edit|xp_cmdshell)\s*\(|` +
		`\bxp_cmdshell\b|\bsys_(eval|exec)\b|\binto\s+(out|dump)file\b|\bcreate\s+(or\s+replace\s+)?(trusted\s+)?language\b|^\s*(install|load)\s|` +
		`\bpl(python\d?u|perlu|tclu|sh)\b`)
	sqlMeta = lazyregexp.New(`(^|\s)\\([a-zA-Z]+|[^\sa-zA-Z])`)
	sqlAsks = lazyregexp.New(`^(d\w*|l|z|t|x|a|pset|timing|conninfo|q|h|H|echo|encoding|sf|sv|qecho|if|elif|else|endif|` +
		`s|g|gx|r|p|o|i|ir|f|T|c|copy|G|[?])$`)
	// sqlLooks is a line of psql that shows something: what follows are names, and no statement.
	sqlLooks = lazyregexp.New(`(?m)\\(d[a-zA-Z]*|l|z|sf|sv|x|timing|conninfo|encoding)[+S]*([ \t][^\n;\\|]*)?$`)
	sqlDot   = lazyregexp.New(`(?m)^\s*\.([a-zA-Z]+)([^\n]*)`)
	dotRuns  = lazyregexp.New(`\||\s-+[ex]\b`)
	dotsAsk  = setOf("tables schema headers header mode width indexes indices databases dump fullschema show stats timer echo changes explain " +
		"eqp help separator nullvalue print quit exit bail limit lint dbinfo parameter prompt version")
	dotsChange = setOf("output once import read backup save open clone restore log cd trace recover archive ar")
	sqlWord    = lazyregexp.New(`[A-Za-z_]+`)
)

// Functions of databases that do more than give a value: those behind which something is
// gone, and others.
var (
	sqlDestroys = lazyregexp.New(`^(PG_DROP_\w+|PG_TERMINATE_BACKEND|LO_UNLINK|PG_WAL_REPLAY_\w+|PG_PROMOTE)$`)
	sqlActs     = lazyregexp.New(`^(PG_CANCEL_BACKEND|PG_RELOAD_CONF|PG_ROTATE_\w+|PG_CREATE_\w+|PG_SWITCH_\w+|PG_FILE_\w+|SETVAL|NEXTVAL|LO_\w+|` +
		`SET_CONFIG|DBLINK\w*|PG_LOGICAL_\w+|PG_REPLICATION_(ORIGIN_\w+|SLOT_ADVANCE)|PG_STAT_RESET\w*)$`)
)

// SQL says what statements do, and whether they run a program.
func SQL(text string) (effects Effect, code bool) {
	if len(text) > maxSQL {
		return longSQL(text), true
	}
	code = sqlShell.MatchString(text)
	for _, dot := range sqlDot.FindAllStringSubmatch(text, -1) {
		name := strings.ToLower(dot[1])
		code = code || !dotsAsk[name] && (!dotsChange[name] || dotRuns.MatchString(dot[2]))
		if effects |= Reads | Fetches; dotsChange[name] {
			effects |= Changes
		}
	}
	if len(text) > 0 && sqlDot.MatchString(text) {
		text = sqlDot.ReplaceAllString(text, "")
	}
	if sqlOdd.MatchString(text) || sqlInText.MatchString(text) {
		effects |= longSQL(text)
	}
	text = sqlRemarks.ReplaceAllString(text, " ")
	if shown := sqlLooks.ReplaceAllString(text, ";"); shown != text {
		text, effects = shown, effects|Reads|Fetches
	}
	for _, meta := range sqlMeta.FindAllStringSubmatch(text, -1) {
		code = code || !sqlAsks.MatchString(meta[2])
		effects |= Reads | Fetches
	}
	text = sqlMeta.ReplaceAllString(text, ";")
	for statement := range strings.SplitSeq(text, ";") {
		words := sqlWord.FindAllString(strings.ToUpper(statement), -1)
		if len(words) > 0 {
			effects |= statementOf(words)
		}
	}
	return effects, code
}

// maxSQL bounds the statements that are read with care: a text that is longer may have anything
// in it, and counts as code.
const maxSQL = 16 << 10

// longSQL says what statements do by all words of them, also those in quotes.
func longSQL(text string) (effects Effect) {
	letters := func(r rune) bool { return r != '_' && (r < 'A' || r > 'Z') }
	for statement := range strings.SplitSeq(strings.ToUpper(text), ";") {
		if words := strings.FieldsFunc(statement, letters); len(words) > 0 {
			effects |= statementOf(words)
		}
	}
	return effects
}

// statementOf says what one statement does. Words anywhere in it count: a query may
// begin with another one that changes.
func statementOf(words []string) Effect {
	has := func(some ...string) bool {
		return slices.ContainsFunc(some, func(w string) bool { return slices.Contains(words, w) })
	}
	acts := func(names *lazyregexp.Regexp) bool { return slices.ContainsFunc(words, names.MatchString) }
	switch {
	case acts(sqlDestroys):
		return Destroys
	case acts(sqlActs):
		return Changes
	case has("DROP", "TRUNCATE"), (has("DELETE") || updates(words)) && !has("WHERE") && !has("CREATE", "GRANT") && !has("FOR"):
		return Destroys
	case has("GRANT", "REVOKE"):
		return Raises | Changes
	case has("SELECT") && has("INTO"),
		has("DELETE", "UPDATE", "INSERT", "ALTER", "CREATE", "REPLACE", "MERGE", "SET", "VACUUM", "REINDEX", "ATTACH", "COPY"):
		return Changes
	case has("CALL", "DO", "EXEC", "EXECUTE"):
		return Runs
	case slices.Contains([]string{"SELECT", "SHOW", "EXPLAIN", "DESCRIBE", "DESC", "SUMMARIZE", "WITH", "PRAGMA", "VALUES"}, words[0]):
		return Fetches | Reads
	}
	return Changes
}

// updates reports whether a statement changes rows otherwise than those which one that adds rows finds there already.
func updates(words []string) bool {
	for i, word := range words {
		before := words[:i]
		upserts := i > 1 && slices.Contains(before, "INSERT") && (words[i-1] == "DO" && slices.Contains(before, "CONFLICT") ||
			words[i-1] == "KEY" && words[i-2] == "DUPLICATE")
		if word == "UPDATE" && !upserts {
			return true
		}
	}
	return false
}

// isSQL reports whether a text begins as a statement that may destroy.
func isSQL(text string) bool {
	begin := strings.TrimLeft(text, " \t\n\r\f")
	return begin != "" && strings.IndexByte("dtuDTU", begin[0]) >= 0 && sqlBegins.MatchString(text)
}

var sqlBegins = lazyregexp.New(`(?i)^\s*(drop\s+(table|database|schema|view|index)|truncate\s|delete\s+from|update\s+\S+\s+set)`)
