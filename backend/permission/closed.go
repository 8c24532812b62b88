package permission

// The closed sets of words that doors show, each with all its words: a document of the API
// names them, and a screen has words of its own for each.
var (
	// Codes lists every code of an error that a client branches on, but for those of one door.
	Codes = [...]Code{
		CodeInvalid, CodeMalformed, CodeNotFound, CodeForbidden, CodeSelfApproval, CodeCallConflict,
		CodeAlreadyDecided, CodeExpired, CodeCancelled, CodeDenied, CodeRevoked, CodeNotApproved,
		CodeAlreadyClaimed, CodeHashMismatch, CodeStale, CodeResultConflict, CodeLostUpdate, CodeExists,
		CodeTooMany, CodeTooManyMembers, CodeUnavailable, CodeTooManyKept, CodeAlreadyReported, CodeNoTask,
		CodeNotActive, CodeTaskTaken,
	}
	// Deciders lists who decides.
	Deciders = [...]By{
		ByRule, ByGrant, ByPerson, ByClock, ByCaller, ByGuard,
	}
	// Scopes lists how far an answer reaches.
	Scopes = [...]Scope{
		ScopeOnce, ScopeClass, ScopeSession, ScopeMode,
	}
	// EntryKinds lists every kind of entry.
	EntryKinds = [...]EntryKind{
		CallCreated, CallChanged, CallDecided, CallClaimed, CallFinished, RulesChanged, ServersChanged,
		AgentsChanged, GrantsChanged, SettingsChanged, StateChanged, StateKept, StateSettled, CheckpointKind,
		InputsWiped, OperatorRefused, JournalTrimmed, TasksChanged, ConversationsChanged,
	}
	// FindingKinds lists every kind of finding.
	FindingKinds = [...]FindingKind{
		FindingUnreachable, FindingDuplicate, FindingConflict, FindingNoStar, FindingNameAndPattern,
		FindingAllowsAll, FindingExpired, FindingSlipsBy,
	}
	// FileStates lists every state of a file.
	FileStates = [...]FileState{
		FileNew, FileChanged, FileSame, FileBinary, FileTooLarge, FileNotAFile, FileUnreadable, FileUnclear,
	}
	// LineKinds lists every kind of line.
	LineKinds = [...]LineKind{LineSame, LineAdded, LineRemoved, LineGap}
	// Endings lists every odd end of a line.
	Endings = [...]Ending{EndingCRLF, EndingNone}
	// PieceKinds lists every kind of piece.
	PieceKinds = [...]PieceKind{
		PieceProgram, PieceOption, PiecePath, PieceWord, PieceString, PieceRedirect, PieceOperator,
		PieceSubstitution, PieceAssignment, PieceComment, PieceKeyword, PieceBlank,
	}
	// SummaryCodes lists every code of a summary.
	SummaryCodes = [...]SummaryCode{
		SummaryChangesFile, SummaryCreatesFile, SummaryEditsFile, SummarySameFile, SummaryWritesFile, SummaryWritesUnclear,
		SummaryReadsFiles, SummaryListsFolder, SummaryRequests, SummarySends, SummarySQLReads, SummarySQLAdds,
		SummarySQLUpdates, SummarySQLDeletes, SummarySQLDestroys, SummarySQLRaises, SummarySQLUnclear, SummaryRuns,
		SummaryRunsUnknown, SummaryRunsUnclear, SummaryRunsNotRead, SummaryShellWords, SummaryRunsNone,
		SummaryReadsResource, SummarySubscribes, SummaryGetsPrompt, SummaryCalls, SummaryCallsOwn,
	}
	// PartEffects lists every effect of a program, the gravest first.
	PartEffects = [...]PartEffect{
		EffectDestroys, EffectRaises, EffectRemote, EffectSends, EffectSecrets, EffectOpaque, EffectUnknown, EffectCode,
		EffectRuns, EffectDeletes, EffectChanges, EffectWrites, EffectFetches, EffectReads,
	}
	// ServerTransports lists every transport.
	ServerTransports = [...]ServerTransport{
		TransportStdio, TransportHTTP, TransportBuiltin, TransportWorkspace,
	}
	// ServerStates lists every state of a server.
	ServerStates = [...]ServerState{
		ServerIdle, ServerRunning, ServerFailed, ServerDisabled,
	}
	// SignInStates lists every state of a sign-in.
	SignInStates = [...]SignInState{
		SignedOut, SignInWaiting, SignedIn, SignInFailed, SignInExpired,
	}
	// TextKinds lists every kind of deceiving characters.
	TextKinds = [...]TextKind{
		TextTags, TextDirection, TextHidden, TextLookAlike,
	}
	// ToolChanges lists every change of a tool.
	ToolChanges = [...]ToolChange{
		ChangedDefinition, ChangedLaunch, ChangedBoth, ChangedUnknown,
	}
	// FindingCodes lists every code of a finding.
	FindingCodes = [...]FindingCode{
		FindsBadName, FindsCovered, FindsCoveredNearly, FindsSpelledOut, FindsDuplicate,
		FindsConflict, FindsNoStar, FindsNameAndPattern, FindsAllowsAll, FindsExpired,
		FindsLineText, FindsPathText, FindsURLText,
	}
	// ReachAnswers lists every answer about what rules may reach.
	ReachAnswers = [...]ReachAnswer{
		ReachYes, ReachNo, ReachUndecided,
	}
	// ReachCodes lists every code of such an answer.
	ReachCodes = [...]ReachCode{
		ReachAllows, ReachDisabled, ReachExpired, ReachOtherMethod, ReachOtherServer, ReachOtherTool, ReachBadName,
		ReachEarlierRule, ReachNeverTrue, ReachNothingLeft, ReachOtherPart, ReachDoubtfulPart, ReachAllowedBefore,
		ReachNoExample, ReachTooManyChoice,
	}
)
