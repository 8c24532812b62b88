package connect

import (
	"maps"
	"slices"
	"strings"
)

// Obstacle is why an entry is left where it is, or cannot be put back as it was: its words
// are English, for a terminal, and the rest is for a page that has words of its own. What
// a code does not speak of is "".
type Obstacle struct {
	Code  ObstacleCode
	Field string // of the entry, as the file calls it
	Name  string // of a variable, of a header, of the client as people know it, or of the entry
	Value string // as it stands in the file: a command, an argument, a variable; or the path of a copy
}

// ObstacleCode says of what kind an Obstacle is.
type ObstacleCode string

// The codes of obstacles.
const (
	noServer         ObstacleCode = "no_server"
	twoServers       ObstacleCode = "two_servers"
	environmentFile  ObstacleCode = "environment_file"
	runsElsewhere    ObstacleCode = "runs_elsewhere"
	oldTransport     ObstacleCode = "old_transport"
	halfCharacter    ObstacleCode = "half_character"
	commandNoList    ObstacleCode = "command_no_list"
	commandList      ObstacleCode = "command_list"
	commandEmpty     ObstacleCode = "command_empty"
	commandRelative  ObstacleCode = "command_relative"
	commandMissing   ObstacleCode = "command_missing"
	argumentsNoList  ObstacleCode = "arguments_no_list"
	argumentsNoText  ObstacleCode = "arguments_no_text"
	argumentRelative ObstacleCode = "argument_relative"
	folderRelative   ObstacleCode = "folder_relative"
	noTable          ObstacleCode = "no_table"
	valueNull        ObstacleCode = "value_null"
	valueNoText      ObstacleCode = "value_no_text"
	variablesOfApp   ObstacleCode = "variables_of_app"
	variableOfApp    ObstacleCode = "variable_of_app"
	variableUnset    ObstacleCode = "variable_unset"
	variableFolder   ObstacleCode = "variable_folder"
	variableShown    ObstacleCode = "variable_shown"
	headersProgram   ObstacleCode = "headers_program"
	headerUnset      ObstacleCode = "header_unset"
	signsIn          ObstacleCode = "signs_in"
	tokenField       ObstacleCode = "token_field"
	tokenUnset       ObstacleCode = "token_unset"
	writtenApart     ObstacleCode = "written_apart"

	// Of what is put back.
	becameNoTable ObstacleCode = "became_no_table"
	otherShape    ObstacleCode = "other_shape"
	otherName     ObstacleCode = "other_name"
	fieldChanged  ObstacleCode = "field_changed"
	backByHand    ObstacleCode = "back_by_hand"

	// Of a file that is ours alone.
	ownFileChanged ObstacleCode = "own_file_changed"
	hooksFirst     ObstacleCode = "hooks_first"
	policyFirst    ObstacleCode = "policy_first"
)

var obstacles = map[ObstacleCode]string{
	noServer:         "it has neither a command nor a URL of its own",
	twoServers:       "it has both a command and a URL",
	environmentFile:  "its environment comes from a file ({field}) that only the client reads",
	runsElsewhere:    "it runs in a place ({field}) that only the client knows",
	oldTransport:     "it speaks SSE, the older transport, which the desk does not",
	halfCharacter:    "it holds half of a character, which cannot be passed on",
	commandNoList:    "its command is no list, as this client wants it",
	commandList:      "its command is a list, which this client does not read",
	commandEmpty:     "its command is empty",
	commandRelative:  "its command {value} lies in a folder that only the client knows",
	commandMissing:   "its command {value} is not found",
	argumentsNoList:  "its arguments are no list",
	argumentsNoText:  "its arguments are not all strings",
	argumentRelative: "its argument {value} is meant from a folder that only the client knows",
	folderRelative:   "its folder is relative to one that only the client knows",
	noTable:          "its {field} is not a table",
	valueNull:        "{name} of its {field} is null, which the desk cannot pass on",
	valueNoText:      "{name} of its {field} is no string",
	variablesOfApp:   "its {field} hand on what only the client has",
	variableOfApp:    "it uses {value}, which only {name} fills in",
	variableUnset:    "it uses {value}, which is not set here",
	variableFolder:   "it uses {name}, a folder that only the client knows",
	variableShown:    "the value of {name} would be shown by the desk in an argument or URL: put it into env or headers",
	headersProgram:   "its headers come from a program ({field}) that only the client starts",
	headerUnset:      "its header {name} comes from a variable that is not set here",
	signsIn:          "its client signs in there ({field}), which the desk cannot take over",
	tokenField:       "its token lies in a field ({field}) that its client does not take",
	tokenUnset:       "its token comes from {name}, which is not set here",
	writtenApart:     "the field {field} is spread over dotted keys or several lines",

	becameNoTable: "it is no table any more",
	otherShape:    "it is written in another shape: put it back by hand, from the kept copy",
	otherName:     "it is called \"{name}\" now",
	fieldChanged:  "its {field} was changed since",
	backByHand:    "put its entries back by hand, from the copy {value}",

	hooksFirst:     "it lets tools run without a question: it is written once the hooks in {value} ask the desk",
	policyFirst:    "put {value} back first: without these hooks it would let tools run without a question",
	ownFileChanged: "it is not as connecting writes it: look at it, and take it away",
}

// Obstacles lists all codes, sorted.
func Obstacles() []ObstacleCode { return slices.Sorted(maps.Keys(obstacles)) }

// Error is the obstacle in English.
func (o *Obstacle) Error() string {
	return strings.NewReplacer("{field}", o.Field, "{name}", o.Name, "{value}", o.Value).Replace(obstacles[o.Code])
}
