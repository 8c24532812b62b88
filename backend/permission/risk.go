package permission

// RiskCode names a reason for which the risk of a call is above low.
type RiskCode string

// The reasons of high risk, and behind them those of medium risk.
const (
	RiskDeletes        RiskCode = "deletes"    // files or folders, without asking
	RiskLosesWork      RiskCode = "loses_work" // throws away what git does not have yet
	RiskRewrites       RiskCode = "rewrites"   // rewrites or deletes what others have pulled
	RiskHistory        RiskCode = "history"    // rewrites the history of a repository
	RiskErasesDisk     RiskCode = "erases_disk"
	RiskDropsData      RiskCode = "drops_data"     // of a database
	RiskDestroys       RiskCode = "destroys"       // anything else
	RiskPublishes      RiskCode = "publishes"      // pushes code, or publishes a package
	RiskSendsData      RiskCode = "sends_data"     // to another machine
	RiskActsElsewhere  RiskCode = "acts_elsewhere" // changes what other machines or services do
	RiskRunsFromNet    RiskCode = "runs_from_net"  // code that it fetches
	RiskSecret         RiskCode = "secret"         // a file of keys, or a program that shows them
	RiskKeyValue       RiskCode = "key_value"      // a value that is shaped like a key
	RiskSteers         RiskCode = "steers"         // changes a file that later runs or steers programs
	RiskSystem         RiskCode = "system"         // changes a folder of the system
	RiskRaises         RiskCode = "raises"         // takes more rights, or gives them
	RiskOpaque         RiskCode = "opaque"         // what a line would run cannot be known
	RiskNameDestroys   RiskCode = "name_destroys"  // the tool's name has a verb that destroys
	RiskNameSends      RiskCode = "name_sends"     // the tool's name has a verb that sends
	RiskHint           RiskCode = "hint"           // the server says that the tool may destroy
	RiskDeceivingName  RiskCode = "deceiving_name" // the name of the tool or of its server
	RiskDeceivingHost  RiskCode = "deceiving_host"
	RiskDeceivingText  RiskCode = "deceiving_text" // a path or a line with characters that nobody sees, or of two scripts
	RiskOpens          RiskCode = "opens"          // names a file that runs when it is opened
	RiskRound          RiskCode = "round"          // answers what no server asked
	RiskFileKind       RiskCode = "file_kind"      // writes a file of a kind that is not known to be plain
	RiskListed         RiskCode = "listed"         // a program that the workspace tools take for dangerous
	RiskPerson         RiskCode = "person"         // a person set the level of the tool
	RiskUnknownTool    RiskCode = "unknown_tool"   // nothing is known of what the tool does
	RiskNotRead        RiskCode = "not_read"       // a line of PowerShell or cmd, which is not taken apart
	RiskRunsText       RiskCode = "code"           // runs a text as a program
	RiskChanges        RiskCode = "changes"
	RiskWrites         RiskCode = "writes"          // a file, by redirection
	RiskFetches        RiskCode = "fetches"         // asks the network
	RiskRunsProject    RiskCode = "runs_project"    // code of a project, a script or a package
	RiskUnknownProgram RiskCode = "unknown_program" // or an option of it that nothing is known of
	RiskOutside        RiskCode = "outside"         // names something outside the call's folder
	RiskComputed       RiskCode = "computed"        // operands that are not in the text
	RiskUnconfined     RiskCode = "unconfined"      // a command that nothing keeps from what is outside its folder
)

// RiskReason is why the risk of a call is above low. Text says it in English; Params are
// what it speaks of.
type RiskReason struct {
	Code   RiskCode    `json:"code"`
	Params Params      `json:"params"`
	Text   string      `json:"text"`
	At     *InputPlace `json:"at"` // null where it is not of the input
}

// InputPlace is a stretch of a string in an input: a JSON Pointer, and offsets in UTF-16
// units, the end not included.
type InputPlace struct {
	Pointer string `json:"pointer"`
	Start   int    `json:"start"`
	End     int    `json:"end"`
}

// RiskCodes are all reasons, those of high risk first; the reason RiskPerson is of either
// level.
var RiskCodes = []RiskCode{
	RiskDeletes, RiskLosesWork, RiskRewrites, RiskHistory, RiskErasesDisk, RiskDropsData, RiskDestroys, RiskPublishes,
	RiskSendsData, RiskActsElsewhere, RiskRunsFromNet, RiskSecret, RiskKeyValue, RiskSteers, RiskSystem, RiskRaises, RiskOpaque,
	RiskNameDestroys, RiskNameSends, RiskHint, RiskDeceivingName, RiskDeceivingHost, RiskDeceivingText, RiskOpens, RiskRound,
	RiskFileKind, RiskListed, RiskPerson, RiskUnknownTool, RiskNotRead, RiskRunsText, RiskChanges, RiskWrites, RiskFetches, RiskRunsProject,
	RiskUnknownProgram, RiskOutside, RiskComputed, RiskUnconfined,
}
