// Package handover asks a desk about tools that an agent's own program runs: what is
// approved is claimed, and ends as handed over, since the desk does not see the tool run.
//
// A Service asks a desk that is reached over REST. It is for doors beside the agent's
// program, which speak its protocol there. SchemaOfQuestions and Answered make the form of
// the questions that Claude Code's AskUserQuestion puts to a person.
package handover
