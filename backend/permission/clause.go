package permission

// Clause is one part of a rule's condition that can be said in words. All clauses of a
// condition must hold.
type Clause struct {
	Code  ClauseCode     `json:"code" enum:"equals,literal,one_of,begins,ends,contains,lacks,has,has_not,under,not_git,host,only_members,no_members,readers,sql,run_under,folder,agent,agents,agent_name,session,risk,risk_not,own_tools,tools,reading_names,harmless_names,programs,clear,looking,parts"`
	Key   string         `json:"key" doc:"the member of the input that it is about; empty for none"`
	Texts []string       `json:"texts" nullable:"false" maxItems:"1000" doc:"what it names"`
	Parts [][]PartClause `json:"parts,omitempty" nullable:"false" maxItems:"100" doc:"of parts: what each part of the line must be, one of these; all of one hold"`
}

// ClauseCode is what a clause says.
type ClauseCode string

// PartClause is what is said of one part of a line.
type PartClause struct {
	Code  ClauseCode `json:"code" enum:"names,exactly,among,in,in_not_git,hosts,beside_folder,not_alone"`
	Key   string     `json:"key" doc:"the member of the part, or of the input for not_alone; empty for none"`
	Texts []string   `json:"texts" nullable:"false" maxItems:"1000" doc:"what it names; of folders, an empty one is that of the call"`
}

// Wording is a condition and what it says. The condition is made of the clauses, so that
// the two cannot differ.
type Wording struct {
	Condition string   `json:"condition"`
	Clauses   []Clause `json:"clauses" doc:"empty where the condition is advanced"`
	Advanced  bool     `json:"advanced" doc:"it cannot be said in clauses"`
}
