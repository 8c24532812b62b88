package show

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sekisho/backend/command"
	"sekisho/backend/diff"
	"sekisho/backend/lazyregexp"
	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
	"sekisho/backend/risk"
	"sekisho/backend/shell"
)

// maxShown bounds a path or a name in a summary.
const maxShown = 200

// told is a summary of a code.
func told(code permission.SummaryCode, params permission.Params) permission.Summary {
	s := permission.Summary{Code: code, Params: params, Programs: []permission.ProgramSummary{}, Rest: []permission.PartEffect{}}
	s.Text = sentence(&s)
	return s
}

// summary says in one line what a call does. file is what it would change on the disk, or
// nil. Only an input of which every member is understood is told by anything but its tool.
func summary(c *permission.Call, members []rawjson.Member, file *permission.FileLook) permission.Summary {
	if s, is := reading(c); is {
		return s
	}
	if c.InputWiped {
		return Calling(c)
	}
	if o, found := command.Find(rawjson.Values(members)); found && !o.Editor {
		line := o.ReadAs(c.ToolName, folderText(c), false)
		return summaryOfLine(&line)
	}
	if file != nil {
		return ofFile(file)
	}
	if w := shapeOf(c.ToolName, members); w != nil {
		return unseen(w)
	}
	for _, form := range []func(*permission.Call, []rawjson.Member) (permission.Summary, bool){askingSQL, requesting, ofFiles} {
		if s, is := form(c, members); is {
			return s
		}
	}
	return Calling(c)
}

// Brief says in one line what a call does, as far as its input says it: the disk is not
// looked at. Of a very large input nothing but its tool is told.
func Brief(c *permission.Call) permission.Summary {
	if len(c.Input) > maxBrief {
		return Calling(c)
	}
	members, err := rawjson.Members(c.Input)
	if err != nil { // it is no object
		members = nil
	}
	return summary(c, members, nil)
}

// maxBrief bounds an input that is summarised for a list, in bytes.
const maxBrief = 64 << 10

// Calling is the summary of a call of which nothing is known but its tool.
func Calling(c *permission.Call) permission.Summary {
	tool := permission.Param("tool", permission.Short(c.ToolName, maxShown))
	if c.ServerID == nil {
		return told(permission.SummaryCallsOwn, tool)
	}
	return told(permission.SummaryCalls, tool.With(permission.Param("server", *c.ServerID)))
}

// reading is a call of another method than that of tools.
func reading(c *permission.Call) (s permission.Summary, is bool) {
	code, is := map[string]permission.SummaryCode{permission.ReadResource: permission.SummaryReadsResource,
		permission.SubscribeResource: permission.SummarySubscribes, permission.GetPrompt: permission.SummaryGetsPrompt}[c.Method]
	if !is || c.ServerID == nil {
		return s, false
	}
	return told(code, permission.Param("name", permission.Short(c.ToolName, maxShown)).With(permission.Param("server", *c.ServerID))), true
}

// ofFile is a call that writes a file of the desk's disk.
func ofFile(f *permission.FileLook) permission.Summary {
	path := permission.Param("path", permission.Short(f.Path, maxShown))
	added := permission.Param("added", f.Added)
	switch f.State {
	case permission.FileChanged:
		return told(permission.SummaryChangesFile, path.With(added).With(permission.Param("removed", f.Removed)))
	case permission.FileNew:
		return told(permission.SummaryCreatesFile, path.With(added))
	case permission.FileSame:
		return told(permission.SummarySameFile, path)
	case permission.FileBinary, permission.FileTooLarge, permission.FileUnreadable:
		return told(permission.SummaryWritesFile, path)
	}
	return told(permission.SummaryWritesUnclear, path)
}

// unseen is a call that writes a file of a disk that the desk does not see.
func unseen(w *write) permission.Summary {
	path := permission.Param("path", permission.Short(w.path, maxShown))
	if w.doubt.code != "" {
		return told(permission.SummaryWritesUnclear, path)
	}
	if added, removed, known := w.counted(); known {
		return told(permission.SummaryEditsFile, path.With(permission.Param("added", added)).With(permission.Param("removed", removed)))
	}
	return told(permission.SummaryWritesFile, path)
}

// counted is how many lines edits add and remove, where that does not depend on the file.
func (w *write) counted() (added, removed int, known bool) {
	for _, e := range w.edits {
		if e.all || e.old == "" {
			return 0, 0, false
		}
		d := diff.Compare(e.old, e.new)
		added, removed = added+d.Added, removed+d.Removed
	}
	return added, removed, len(w.edits) > 0
}

// onlyKeys reports whether a call's input has members, and no others than these.
func onlyKeys(members []rawjson.Member, allowed ...[]string) bool {
	return len(members) > 0 && !slices.ContainsFunc(members, func(m rawjson.Member) bool {
		return !slices.ContainsFunc(allowed, func(some []string) bool { return slices.Contains(some, m.Key) })
	})
}

// Members that are understood beside what a call is about.
var (
	queryKeys   = []string{"sql", "query", "statement"}
	valueKeys   = strings.Fields("params parameters values arguments database db schema connection limit timeout timeoutMs")
	addressKeys = []string{"url", "uri", "endpoint"}
	webKeys     = strings.Fields("method headers timeout timeoutMs max_length start_index raw format prompt maxLength")
	dataKeys    = strings.Fields("body data json form payload")
	fileKeys    = []string{"path", "file_path", "filePath", "filename", "paths", "files"}
	rangeKeys   = strings.Fields("head tail limit offset start_line end_line startLine endLine start end line lines encoding view_range " +
		"recursive depth excludePatterns sortBy description")
)

// all reports whether a tool's name has words, and no others than these.
func all(tool string, words []string) bool {
	name := risk.Words(tool)
	return len(name) > 0 && !slices.ContainsFunc(name, func(w string) bool { return !slices.Contains(words, w) })
}

var (
	webWords    = strings.Fields("fetch http https request web url get page browse open navigate visit read curl download scrape crawl api rest call site")
	readWords   = strings.Fields("read get view cat open show load")
	listWords   = strings.Fields("list ls tree dir directory folder show get")
	fileNouns   = strings.Fields("file files text media multiple content contents many batch of the a line lines")
	folderNouns = strings.Fields("directory directories dir folder folders tree files file with sizes contents content of the a")
)

// askingSQL is a call that has a database run a statement.
func askingSQL(_ *permission.Call, members []rawjson.Member) (s permission.Summary, is bool) {
	queries, query := having(members, queryKeys), ""
	if len(queries) != 1 || !onlyKeys(members, queryKeys, valueKeys) || !text(queries[0].Value, &query) || len(query) > shell.MaxText {
		return s, false
	}
	verb := strings.ToUpper(firstWord.FindString(query))
	if !slices.Contains(sqlVerbs, verb) {
		return s, false // it may be words to search for
	}
	effects, code := command.SQL(query)
	several := strings.Contains(strings.TrimRight(query, "; \t\r\n"), ";")
	says, known := map[string]permission.SummaryCode{"INSERT": permission.SummarySQLAdds, "UPDATE": permission.SummarySQLUpdates,
		"DELETE": permission.SummarySQLDeletes}[verb]
	switch {
	case effects.Has(command.Destroys):
		says = permission.SummarySQLDestroys
	case code || several || effects.Has(command.Runs):
		says = permission.SummarySQLUnclear
	case effects.Has(command.Raises):
		says = permission.SummarySQLRaises
	case verb == "SELECT" && effects == command.Fetches|command.Reads && plainSelect(query):
		says = permission.SummarySQLReads
	case !known:
		says = permission.SummarySQLUnclear
	}
	return told(says, ""), true
}

var (
	firstWord = lazyregexp.New(`^\s*[A-Za-z]+`)
	sqlVerbs  = strings.Fields("SELECT INSERT UPDATE DELETE DROP TRUNCATE ALTER CREATE GRANT REVOKE WITH BEGIN MERGE REPLACE COPY EXPLAIN " +
		"EXEC EXECUTE CALL DO SET VACUUM PRAGMA")
	plainHost = lazyregexp.New(`^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,5})?$`)
)

// plainSelect reports whether a query makes no table and calls nothing but functions that
// read.
func plainSelect(query string) bool {
	return !intoTable.MatchString(query) && !slices.ContainsFunc(sqlCalls.FindAllStringSubmatch(query, -1), func(call []string) bool {
		return !slices.Contains(readingFunctions, strings.ToLower(call[1]))
	})
}

var (
	intoTable        = lazyregexp.New(`(?i)\binto\b`)
	sqlCalls         = lazyregexp.New(`([\p{L}_"\]` + "`" + `][\p{L}\p{N}_$.]*)\s*\(`)
	readingFunctions = strings.Fields("count sum min max avg lower upper coalesce length round abs date in values exists and or not where on from " +
		"select over as cast substr substring trim distinct date_trunc extract now nullif having by then when else union all")
)

// requesting is a call that asks a host of the web.
func requesting(c *permission.Call, members []rawjson.Member) (s permission.Summary, is bool) {
	addresses, address, method := having(members, addressKeys), "", "GET"
	if len(addresses) != 1 || !all(c.ToolName, webWords) || !onlyKeys(members, addressKeys, webKeys, dataKeys) ||
		!text(addresses[0].Value, &address) {
		return s, false
	}
	at, err := url.Parse(address)
	if err != nil || at.Scheme != "http" && at.Scheme != "https" || !plainHost.MatchString(at.Host) {
		return s, false
	}
	if m := having(members, []string{"method"}); len(m) > 0 && !text(m[0].Value, &method) {
		return s, false
	}
	method = strings.ToUpper(method)
	params := permission.Param("tool", permission.Short(c.ToolName, maxShown)).
		With(permission.Param("host", permission.Short(at.Host, maxShown)))
	if data := len(having(members, dataKeys)) > 0; !data && (method == "GET" || method == "HEAD") {
		return told(permission.SummaryRequests, params), true
	}
	return told(permission.SummarySends, params.With(permission.Param("method", permission.Short(method, 20)))), true
}

// ofFiles is a call that asks for files or for what is in a folder, by the name of its tool.
func ofFiles(c *permission.Call, members []rawjson.Member) (s permission.Summary, is bool) {
	named := having(members, fileKeys)
	if len(named) != 1 || !onlyKeys(members, fileKeys, rangeKeys) {
		return s, false
	}
	paths := []string{""}
	if !text(named[0].Value, &paths[0]) && (json.Unmarshal(named[0].Value, &paths) != nil || len(paths) == 0) {
		return s, false
	}
	tool := permission.Param("tool", permission.Short(c.ToolName, maxShown))
	path := permission.Param("path", permission.Short(paths[0], maxShown))
	words := risk.Words(c.ToolName)
	switch {
	case slices.Contains(readWords, first(words)) && all(c.ToolName, slices.Concat(readWords, fileNouns)):
		return told(permission.SummaryReadsFiles, tool.With(path).With(permission.Param("count", len(paths)))), true
	case slices.Contains(listWords, first(words)) && len(paths) == 1 && all(c.ToolName, slices.Concat(listWords, folderNouns)):
		return told(permission.SummaryListsFolder, tool.With(path)), true
	}
	return s, false
}

func first(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// sentences say a summary in English; a word in braces is a parameter.
var sentences = map[permission.SummaryCode]string{
	permission.SummaryChangesFile:   "changes one file: {path}, +{added} −{removed}",
	permission.SummaryCreatesFile:   "writes one new file: {path}, +{added}",
	permission.SummaryEditsFile:     "edits one file, which was not compared: {path}, +{added} −{removed}",
	permission.SummarySameFile:      "writes one file that holds the same already: {path}",
	permission.SummaryWritesFile:    "writes one file, which was not compared: {path}",
	permission.SummaryWritesUnclear: "writes a file, and it cannot be told what or where: {path}",
	permission.SummaryReadsFiles:    "asks {tool} to read {files}",
	permission.SummaryListsFolder:   "asks {tool} to list one folder: {path}",
	permission.SummaryRequests:      "asks {tool} to send a request to {host}",
	permission.SummarySends:         "asks {tool} to send data to {host} ({method})",
	permission.SummarySQLReads:      "asks a SQL database to read rows",
	permission.SummarySQLAdds:       "asks a SQL database to add rows",
	permission.SummarySQLUpdates:    "asks a SQL database to change rows",
	permission.SummarySQLDeletes:    "asks a SQL database to delete rows",
	permission.SummarySQLDestroys:   "asks a SQL database to delete or overwrite tables or whole tables' rows",
	permission.SummarySQLRaises:     "asks a SQL database to change who may do what",
	permission.SummarySQLUnclear:    "asks a SQL database to run statements that may change anything",
	permission.SummaryRuns:          "runs {what}: {list}",
	permission.SummaryRunsUnknown:   "runs a program that Sekisho does not know: {program}",
	permission.SummaryRunsUnclear:   "runs something that its text does not tell{also}",
	permission.SummaryRunsNotRead:   "runs a line of PowerShell or cmd, which Sekisho does not take apart",
	permission.SummaryShellWords:    "runs no program, only words of the shell: {names}",
	permission.SummaryRunsNone:      "runs no program",
	permission.SummaryReadsResource: "reads the resource {name} of {server}",
	permission.SummarySubscribes:    "subscribes to the resource {name} of {server}",
	permission.SummaryGetsPrompt:    "gets the prompt {name} of {server}",
	permission.SummaryCalls:         "calls {tool} of {server}",
	permission.SummaryCallsOwn:      "calls {tool}, a tool of the agent's own program",
}

// sentence is the English of a summary.
func sentence(s *permission.Summary) string {
	values := map[string]any{}
	if s.Params != "" {
		_ = json.Unmarshal([]byte(s.Params), &values)
	}
	count := func(name string) int { n, _ := values[name].(float64); return int(n) }
	list := programsText(s, count("more"))
	values["list"], values["what"], values["also"], values["files"] = list, "one program", "", ""
	if n := count("count"); n != 1 {
		values["what"] = strconv.Itoa(n) + " programs"
	}
	if list != "" {
		values["also"] = "; besides: " + list
	}
	if path, is := values["path"].(string); is {
		values["files"] = "one file: " + path
		if n := count("count"); n > 1 {
			values["files"] = strconv.Itoa(n) + " files, the first of them " + path
		}
	}
	return placeholder.ReplaceAllStringFunc(sentences[s.Code], func(name string) string {
		switch v := values[name[1:len(name)-1]].(type) {
		case string:
			return v
		case float64:
			return strconv.Itoa(int(v))
		}
		return name
	})
}

var placeholder = lazyregexp.New(`\{[a-z]+\}`)
