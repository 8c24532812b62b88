package risk

import (
	"encoding/json"
	"strings"

	"sekisho/backend/permission"
)

// sentences say the reasons in English; a word in braces is a parameter.
var sentences = map[permission.RiskCode]string{
	permission.RiskDeletes:        "{name} deletes files or folders without asking",
	permission.RiskLosesWork:      "{name} throws away work that is not committed",
	permission.RiskRewrites:       "{name} rewrites or deletes what others have pulled",
	permission.RiskHistory:        "{name} rewrites the history of the repository",
	permission.RiskErasesDisk:     "{name} may erase a disk",
	permission.RiskDropsData:      "{name} deletes data of a database",
	permission.RiskDestroys:       "{name} destroys what cannot be had back",
	permission.RiskPublishes:      "{name} publishes what others see",
	permission.RiskSendsData:      "{name} sends data to another machine",
	permission.RiskActsElsewhere:  "{name} acts on another machine or service",
	permission.RiskRunsFromNet:    "{name} runs code from the net",
	permission.RiskSecret:         "{path} holds secrets",
	permission.RiskKeyValue:       "the input has a value that looks like a key ({kind})",
	permission.RiskSteers:         "{path} runs or steers programs later",
	permission.RiskSystem:         "{path} belongs to the system",
	permission.RiskRaises:         "{name} takes or gives more rights",
	permission.RiskOpaque:         "it is not known what would run: {why}",
	permission.RiskNameDestroys:   "the tool's name has the verb \"{verb}\", which destroys",
	permission.RiskNameSends:      "the tool's name has the verb \"{verb}\", which sends",
	permission.RiskHint:           "the server says that this tool may destroy",
	permission.RiskDeceivingName:  "the name {name} could be taken for another one",
	permission.RiskDeceivingHost:  "the address {host} could be taken for another one",
	permission.RiskDeceivingText:  "characters of the input could deceive",
	permission.RiskOpens:          "the input names a file that runs when it is opened (.{ending})",
	permission.RiskRound:          "the call answers what no server asked",
	permission.RiskFileKind:       "the kind of {path} is none of those that are known to be plain text",
	permission.RiskListed:         "{name} is a program that may run others",
	permission.RiskPerson:         "a person set the level of this tool",
	permission.RiskUnknownTool:    "nothing is known of what it does",
	permission.RiskNotRead:        "a line of PowerShell or cmd is not taken apart",
	permission.RiskRunsText:       "{name} runs a text as a program",
	permission.RiskChanges:        "{name} changes files or settings",
	permission.RiskWrites:         "{path} is written",
	permission.RiskFetches:        "{name} uses the network",
	permission.RiskRunsProject:    "{name} runs code of the project or of a package",
	permission.RiskUnknownProgram: "it is not known what {name} does with these words",
	permission.RiskOutside:        "{path} lies outside the call's folder",
	permission.RiskComputed:       "some words of {name} are not in the text",
	permission.RiskUnconfined:     "the desk knows of nothing that keeps {name} inside the folder",
}

func sentence(code permission.RiskCode, params permission.Params) string {
	text := sentences[code]
	var values map[string]string
	if params == "" || json.Unmarshal([]byte(params), &values) != nil {
		return text
	}
	for name, value := range values {
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	return text
}

// short is a text that a reason may show.
func short(text string) string {
	const most = 80
	if len(text) <= most {
		return text
	}
	cut := most
	for cut > 0 && text[cut]&0xC0 == 0x80 {
		cut--
	}
	return text[:cut] + "…"
}
