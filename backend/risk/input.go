package risk

import (
	"encoding/hex"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"sekisho/backend/command"
	"sekisho/backend/lazyregexp"
	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
	"sekisho/backend/shell"
	"sekisho/backend/spoof"
)

// input judges the texts of an input, and members that belong together.
func (j *judge) input(members []rawjson.Member, order command.Order, line bool) {
	words := split(j.Tool)
	looks := readsByName(words) || order.Editor && order.Text == "view"
	opens := !reader(words)
	applies := containsAny(words, appliers)
	w := walker{raw: j.Input}
	w.visit = func(w *walker, text string) {
		if start, end, kind := keyIn(text); kind != "" {
			j.add(permission.RiskHigh, permission.RiskKeyValue, permission.Param("kind", kind), w.place(text, start, end))
		}
		depth, key := len(w.steps), w.key()
		if line && slices.Contains([]string{order.Key, "args"}, key) {
			return
		}
		j.text(w, key, text, looks, line && depth == 1)
		if !looks && isPatch(text) && (applies || !endsIn(key, textWords)) {
			j.patch(w, text)
		}
		if opens && depth < maxDepth {
			j.opens(w, key, text)
		}
	}
	w.walk()
	j.request(members)
}

// request judges an address together with the method of HTTP beside it.
func (j *judge) request(members []rawjson.Member) {
	var address, method string
	body := false
	for _, m := range members {
		switch strings.ToLower(m.Key) {
		case "url", "uri", "endpoint":
			_ = json.Unmarshal(m.Value, &address)
		case "method", "httpmethod", "http_method", "verb":
			_ = json.Unmarshal(m.Value, &method)
		case "body", "data", "json", "form", "payload":
			body = body || string(m.Value) != "null"
		}
	}
	method = strings.ToUpper(method)
	web := strings.HasPrefix(strings.ToLower(address), "http")
	if web && !isLoopback(address) && (slices.Contains([]string{"POST", "PUT", "PATCH", "DELETE"}, method) || body && method == "") {
		j.add(permission.RiskHigh, permission.RiskSendsData, permission.Param("name", short(j.Tool)), nil)
	}
}

// Keys of members that hold statements for a database, and such that hold what is no name
// of a file, a host or a statement.
var (
	queryWords = strings.Fields("sql query queries statement statements")
	placeWords = strings.Fields("url uri href link host hostname endpoint address domain server remote repo repository origin")
)

// text judges a text by the key that it stands under.
func (j *judge) text(w *walker, key, text string, looks, line bool) {
	words := split(key)
	last := ""
	if len(words) > 0 {
		last = words[len(words)-1]
	}
	if slices.Contains(queryWords, last) {
		j.statements(w, last, text)
	}
	folder := command.IsFolder(key) && (line || key == "cwd" || key == "workdir")
	if slices.Contains(textWords, last) || len(text) > maxPath || text == "" || folder {
		return
	}
	all := func() *permission.InputPlace { return w.place(text, 0, len(text)) }
	high := func(code permission.RiskCode, name, value string) {
		j.add(permission.RiskHigh, code, permission.Param(name, short(value)), all())
	}
	if host := deceivingHost(text); host != "" {
		high(permission.RiskDeceivingHost, "host", host)
	} else if slices.Contains([]string{"host", "hostname", "domain"}, last) && deceives(text) {
		high(permission.RiskDeceivingHost, "host", text)
	}
	if strings.ContainsAny(text, "\n\r") {
		return
	}
	named := containsAny(words, fileWords) || containsAny(words, wideWords) || containsAny(words, placeWords)
	pathLike := named || strings.HasPrefix(text, "/") || strings.HasPrefix(text, "~/") || strings.HasPrefix(text, "file://") ||
		windows.MatchString(text)
	plain := spelled(text)
	bare := containsAny(words, fileWords) && bareKey.MatchString(strings.ToLower(path.Base(plain)))
	if (pathLike || !strings.Contains(text, " ")) && (namesSecret(text) || bare || plain != text && namesSecret(plain)) {
		high(permission.RiskSecret, "path", text)
	}
	if named && (len(spoof.HiddenInName(strings.ReplaceAll(text, "\t", " "))) > 0 && hidden(text) || mixesScripts(text)) {
		j.add(permission.RiskHigh, permission.RiskDeceivingText, "", all())
	}
	if looks {
		return
	}
	at := resolve(plain, j.Cwd)
	if (pathLike || !strings.Contains(text, " ")) && steers(at) {
		high(permission.RiskSteers, "path", text)
	}
	if pathLike && (strings.HasPrefix(text, "/") || strings.HasPrefix(text, "file://") || windows.MatchString(text)) && system(at) {
		high(permission.RiskSystem, "path", text)
	}
}

// endsIn reports whether the last word of a key is one of some.
func endsIn(key string, some []string) bool {
	words := split(key)
	return len(words) > 0 && slices.Contains(some, words[len(words)-1])
}

// spelled is a path without what says nothing: outer blanks, steps that stay, and characters written as those of an address.
func spelled(file string) string {
	plain := strings.TrimSpace(file)
	if strings.Contains(plain, "%") && !strings.Contains(plain, "://") {
		plain = percents.ReplaceAllStringFunc(plain, func(escape string) string {
			letter, _ := hex.DecodeString(escape[1:])
			return string(letter)
		})
	}
	if strings.Contains(plain, "/.") || strings.Contains(plain, "//") && !strings.Contains(plain, "://") {
		plain = path.Clean(plain)
	}
	return plain
}

var percents = lazyregexp.New(`%[0-9a-fA-F]{2}`)

// hidden reports whether a text has a character that nobody sees where people write none.
func hidden(text string) bool { return len(spoof.HiddenInText(text)) > 0 }

// statements judges a text for a database.
func (j *judge) statements(w *walker, key, text string) {
	if len(text) > shell.MaxText {
		return
	}
	effects, code := command.SQL(text)
	name := permission.Param("name", key)
	if effects.Has(command.Destroys) && begins(text) {
		j.add(permission.RiskHigh, permission.RiskDropsData, name, w.place(text, 0, len(text)))
	}
	if effects.Has(command.Raises) && begins(text) {
		j.add(permission.RiskHigh, permission.RiskRaises, name, w.place(text, 0, len(text)))
	}
	if code && begins(text) {
		j.add(permission.RiskHigh, permission.RiskRunsText, name, w.place(text, 0, len(text)))
	}
}

// verbsOfSQL begin a statement.
var verbsOfSQL = strings.Fields("SELECT INSERT UPDATE DELETE DROP TRUNCATE ALTER CREATE GRANT REVOKE WITH BEGIN START MERGE REPLACE COPY EXPLAIN " +
	"EXEC EXECUTE CALL DO SET USE COMMIT PRAGMA VACUUM DECLARE")

// begins reports whether a text is one for a database and not one of a search.
func begins(text string) bool {
	for text = strings.TrimLeft(text, " \t\r\n;("); strings.HasPrefix(text, "--") || strings.HasPrefix(text, "/*"); {
		end := "\n"
		if text[0] == '/' {
			end = "*/"
		}
		_, rest, found := strings.Cut(text, end)
		if !found {
			return false
		}
		text = strings.TrimLeft(rest, " \t\r\n;(")
	}
	word := text[:min(len(text), 16)]
	if end := strings.IndexFunc(word, func(r rune) bool { return (r|0x20) < 'a' || (r|0x20) > 'z' }); end >= 0 {
		word = word[:end]
	}
	return slices.Contains(verbsOfSQL, strings.ToUpper(word))
}
