package permission

// SummaryCode says what kind of thing a call does.
type SummaryCode string

// The codes of summaries, with their params.
const (
	SummaryChangesFile   SummaryCode = "changes_file"   // path, added, removed
	SummaryCreatesFile   SummaryCode = "creates_file"   // path, added
	SummaryEditsFile     SummaryCode = "edits_file"     // path, added, removed: as the edits say, without a look at the file
	SummarySameFile      SummaryCode = "same_file"      // path: the file holds already what is written
	SummaryWritesFile    SummaryCode = "writes_file"    // path: the file that is there was not compared
	SummaryWritesUnclear SummaryCode = "writes_unclear" // path: it cannot be told what is written, or where
	SummaryReadsFiles    SummaryCode = "reads_files"    // tool, count, path of the first: as its name and input say
	SummaryListsFolder   SummaryCode = "lists_folder"   // tool, path
	SummaryRequests      SummaryCode = "requests"       // tool, host
	SummarySends         SummaryCode = "sends"          // tool, host, method: a request that changes something or has data
	SummarySQLReads      SummaryCode = "sql_reads"
	SummarySQLAdds       SummaryCode = "sql_adds"
	SummarySQLUpdates    SummaryCode = "sql_updates"
	SummarySQLDeletes    SummaryCode = "sql_deletes"
	SummarySQLDestroys   SummaryCode = "sql_destroys" // deletes tables, or all rows of one
	SummarySQLRaises     SummaryCode = "sql_raises"   // changes who may do what
	SummarySQLUnclear    SummaryCode = "sql_unclear"  // several statements, or such as may change anything
	SummaryRuns          SummaryCode = "runs"         // count: programs, which Programs names
	SummaryRunsUnknown   SummaryCode = "runs_unknown" // program: the one, of which nothing is known
	SummaryRunsUnclear   SummaryCode = "runs_unclear" // count: something that the text does not tell, and these programs
	SummaryRunsNotRead   SummaryCode = "runs_not_read"
	SummaryShellWords    SummaryCode = "shell_words"    // names: of the shell's own, which change nothing
	SummaryRunsNone      SummaryCode = "runs_none"      // a line without a program
	SummaryReadsResource SummaryCode = "reads_resource" // name, server
	SummarySubscribes    SummaryCode = "subscribes"     // name, server
	SummaryGetsPrompt    SummaryCode = "gets_prompt"    // name, server
	SummaryCalls         SummaryCode = "calls"          // tool, server: what that does is not known
	SummaryCallsOwn      SummaryCode = "calls_own"      // tool
)

// PartEffect is one thing that a program does.
type PartEffect string

// The effects, the gravest first.
const (
	EffectDestroys PartEffect = "destroys" // what cannot be had back, or history
	EffectRaises   PartEffect = "raises"   // takes or gives more rights
	EffectRemote   PartEffect = "remote"   // runs code from the internet
	EffectSends    PartEffect = "sends"    // or publishes, or acts on another machine
	EffectSecrets  PartEffect = "secrets"  // shows keys or passwords
	EffectOpaque   PartEffect = "opaque"   // what it does is not in the text
	EffectUnknown  PartEffect = "unknown"  // the desk does not know the program
	EffectCode     PartEffect = "code"     // runs a text as a program
	EffectRuns     PartEffect = "runs"     // runs code of the project, of a package or of another program
	EffectDeletes  PartEffect = "deletes"  // files that are named
	EffectChanges  PartEffect = "changes"  // files or settings
	EffectWrites   PartEffect = "writes"   // a file, by redirection
	EffectFetches  PartEffect = "fetches"  // uses the network
	EffectReads    PartEffect = "reads"
)

// Summary says in one line what a call does: a code and its params for screens, and the
// same in English. It never says less than what happens: where the desk does not know, it
// says that.
type Summary struct {
	Code   SummaryCode `json:"code"`
	Params Params      `json:"params"`
	// Programs are those of a line, in their order; the gravest where there are many, and
	// Rest is what the others do.
	Programs []ProgramSummary `json:"programs"`
	Rest     []PartEffect     `json:"rest"`
	Text     string           `json:"text"`
}

// ProgramSummary is what a program does, "" being the shell itself.
type ProgramSummary struct {
	Program string       `json:"program"`
	Effects []PartEffect `json:"effects"`
}

// CommandPart is one simple command of a line.
type CommandPart struct {
	Name    string       `json:"name" doc:"program and verb; empty: the shell itself, or a program that is not in the text"`
	Effects []PartEffect `json:"effects"`
	Writes  []string     `json:"writes" doc:"files that it writes by redirection; empty: one that is not in the text"`
}
