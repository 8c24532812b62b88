/** The words of CONTRACT sections 2 to 4 as the front end uses them. Times are RFC 3339 texts. */

export type Risk = 'low' | 'medium' | 'high'
export type Effect = 'allow' | 'ask' | 'deny'
/** What of MCP is judged. */
export type Method = 'tools/call' | 'resources/read' | 'resources/subscribe' | 'prompts/get'

/** One tool call. Its input is left out on purpose: only its raw text may be shown (Desk.input). */
export interface Call {
  id: string
  rev: number
  /** The rev at which what a person is shown of it last changed. */
  shownRev: number
  runId: string
  toolCallId: string
  sessionId: string
  agentId: string
  agentName: string
  serverId: string | null
  /** What is asked for: toolName is then a tool, the URI of a resource, or a prompt. */
  method: string
  toolName: string
  inputHash: string
  /** Of what the server gets beside name and input; null where that is nothing. The envelope itself is left out as the input is (Desk.envelope). */
  envelopeHash: string | null
  /** The hash of what the agent asked for, where a person edited the input: inputHash is then that of the edited one. */
  original: { inputHash: string } | null
  /** The input was removed from the desk; its hash stays. */
  inputWiped: boolean
  description: string
  cwd: string | null
  /** pending, approved, claimed, in_doubt, completed, failed, denied, declined, expired, cancelled, revoked, or a word of a newer desk. */
  status: string
  /**
   * changed: the call's tool is not what it was when it was allowed; withheld: a rule or a grant would allow the call otherwise;
   * notChecked: places of the resumeSchema that the desk holds no data against. Left out where it is not so.
   */
  why: {
    rule: { id: string; priority: number } | null
    code: string | null
    params: Params
    reason: string
    changed?: ToolChange
    withheld?: true
    notChecked?: string[]
    parts?: PartVerdict[]
  }
  decision: Decision | null
  risk: Risk
  riskReasons: RiskReason[]
  callerGone: boolean
  createdAt: string
  /** While pending: the deadline. Null waits without limit. */
  expiresAt: string | null
  /** When the caller itself gives up waiting, where that is known. */
  patienceUntil: string | null
  /** What an answer of scope class would reach; null: the kind of the call cannot be told. */
  class: CallClass | null
  /** Why a yes is for this call alone, as a word of the desk; '': it may reach further. */
  onlyOnce: string
  /** What a yes of wider scope would let pass, while the call waits; null: no such yes can be given. */
  covers: { class: Coverage | null; session: Coverage | null } | null
  /** A JSON Schema for the data that a person answers with, and those data; null where there are none. */
  resumeSchema: unknown
  resumeData: unknown
}

/** What the desk says: a code, the values that the words of the code name, and the same in English. */
export interface Said {
  /** Null: a person's own words. */
  code: string | null
  params: Params
  text: string
}

/** What is wrong with a field. */
export interface Fault {
  code: string
  params: Params
  /** Its path; '': not that of one field. */
  field: string
}

export type Params = Record<string, string | number>

/** Why the risk of a call is above low; at is the stretch of a text in its input that is meant, in UTF-16 units. */
export interface RiskReason extends Said {
  at: { pointer: string; start: number; end: number } | null
}

/** What calls of one class have in common beside agent and session. */
export interface CallClass {
  serverId: string | null
  method: string
  toolName: string
  /** Where the call runs; '': not known, or each part says it. */
  folder: string
  /** The parts of a shell line that need an answer of their own; null: the call has no line. */
  parts: ClassPart[] | null
}

/** A program with its verb, and the folder that it runs in: '' is not known. */
export interface ClassPart {
  name: string
  /** Its words that say which code it runs. */
  chosen: string[]
  /** The files that it writes by redirection. */
  writes: string[]
  folder: string
  /** Null: that of the call. */
  risk: Risk | null
}

/** What an answer of wider scope reaches. */
export interface Coverage {
  /** commands, reading, looking, file, files, host, tool, resource, prompt, server, own_tools, or a word of a newer desk. */
  code: string
  serverId: string | null
  toolName: string
  folder: string
  parts: ClassPart[]
  /** The one file that is meant, and the hosts. */
  path: string
  hosts: string[]
  maxRisk: Risk
  /** The same in English. */
  text: string
}

export interface Decision {
  /** rule, grant, person, clock, caller or guard. */
  by: string
  approved: boolean
  code: string | null
  params: Params
  reason: string
  /** How far the answer reaches: once, class or session. */
  scope: string
  ruleId: string | null
  grantId: string | null
  decidedAt: string
  /** The declined call whose answer was given again, and how often it was by then; null and 0 otherwise. */
  remembered: string | null
  count: number
}

/** What a person says of a call that is in doubt. */
export type Resolution = 'retry' | 'close'

export type PendingCall = Call

export interface PendingSnapshot {
  /** Another one is another desk, or this one started anew: its revs say nothing beside those of before. */
  desk: string
  rev: number
  /** The desk's clock when it answered; '' where it does not say. */
  now: string
  items: PendingCall[]
  /** Where to go on when more wait than these; null at the end. */
  next: string | null
  /** Tools that a person declined again and again in a session, a short while ago. */
  declined: DeclinedTool[]
}

/** A tool in the session of an agent, and how often a person declined it. */
export interface DeclinedTool {
  agentId: string
  sessionId: string
  serverId: string | null
  method: string
  toolName: string
  count: number
}

export type Scope = 'once' | 'class' | 'session'

/** A person's answer. inputHash is that of the input which was shown, rev that of the call. */
export interface Answer {
  approved: boolean
  reason: string
  inputHash: string
  rev: number
  /** How far it reaches; left out, once. */
  scope?: Scope
  /** How long an answer of wider scope lasts; left out, as long as its session. */
  forSeconds?: number
  /** The input as the person edited it, as JSON text; left out, as it was sent. */
  input?: string
  /** Data for a call with a resumeSchema, as JSON text. */
  resumeData?: string
  /** Whether a decline is given again by itself; left out, as the settings say. */
  remember?: boolean
}

/** What the page reports as being looked at. */
export interface Attention {
  callId: string
  rev: number
}

/** What is known of a call beside its bytes. Each part is null where it does not apply. */
export interface Look {
  /** What the call does, in one line; null: the desk does not say. */
  summary: Summary | null
  file: FileLook | null
  command: CommandLook | null
  last: LastLook | null
  /** Deceiving characters in what the call's tool says of itself; left out: none. */
  flags?: TextFlag[]
}

/** What a call does, as a code with what it speaks of, and the same in English. */
export interface Summary {
  code: string
  params: Record<string, string | number>
  /** Of a line, in their order; an empty name is the shell itself. */
  programs: { program: string; effects: string[] }[]
  /** What the programs do that are left out of these. */
  rest: string[]
  text: string
}

/** Deceiving characters of one kind in one text of a tool's definition. */
export interface TextFlag {
  /** A JSON Pointer into the definition. */
  at: string
  kind: 'tags' | 'direction' | 'hidden' | 'lookAlike'
  count: number
  /** As U+200B, each once. */
  characters: string[]
  /** Of the tool's name, what it looks like; else empty. */
  looksLike: string
}

/** A tool whose definition holds such characters. */
export interface FlaggedTool {
  toolName: string
  flags: TextFlag[]
}

/** What a tool that writes a file would change on the disk of the desk. */
export interface FileLook {
  /** As the input has it. */
  path: string
  /** Absolute, links followed; '' where it is not known. */
  resolved: string
  state: 'new' | 'changed' | 'same' | 'binary' | 'too_large' | 'not_a_file' | 'unreadable' | 'unclear'
  /** Why the state is what it is: a word, and the desk's own sentence; '' where the state says all. */
  code: string
  reason: string
  /** Another one means that the file on the disk has changed; '' that the desk cannot say. */
  version: string
  /** Bytes on the disk now. */
  size: number
  added: number
  removed: number
  lines: DiffLine[]
  /** Lines of the difference that are left out at its end. */
  more: number
}

export interface DiffLine {
  kind: 'same' | 'added' | 'removed' | 'gap'
  text: string
  /** Line numbers, from 1; 0 where there is none. */
  old: number
  new: number
  /** Of a gap: how many lines are left out. */
  count: number
  /** How the line ends where that is odd. */
  ending: '' | 'crlf' | 'none'
}

/** A command, in pieces that together are exactly its text. */
export interface CommandLook {
  text: string
  parsed: boolean
  /** Why it could not be parsed. */
  error: string
  /** A program with a list of arguments, that no shell reads. */
  argv: boolean
  /** One simple command a line. */
  lines: CommandPiece[][]
  /** Its simple commands, with what each does; an empty name is the shell itself, or a program that is not in the text. */
  parts: CommandPart[]
  /** The programs it names, and where they are found; path null is nowhere. */
  programs: { word: string; path: string | null }[]
  /** Programs that are left out of these. */
  more: number
  /** Names were looked for by the desk's own PATH, which need not be the agent's. */
  deskPath: boolean
  cwd: string
}

export interface CommandPart {
  name: string
  effects: string[]
  /** Files that it writes by redirection; an empty one is not in the text. */
  writes: string[]
}

export interface CommandPiece {
  kind: 'program' | 'option' | 'path' | 'word' | 'string' | 'redirect' | 'operator' | 'substitution' | 'assignment' | 'comment' | 'keyword' | 'blank'
  text: string
}

/** The last call of the same agent and tool that a person approved, against this one. Values are raw JSON text. */
export interface LastLook {
  callId: string
  decidedAt: string
  same: boolean
  /** The folder of the earlier call where it is another one, '' where it had none; null: the same folder. */
  cwd: string | null
  changed: Earlier[]
  added: string[]
  removed: Earlier[]
}

/** A member as it was; cut: before is only its beginning. */
export interface Earlier {
  key: string
  before: string
  cut: boolean
}

export interface Rule {
  id: string
  serverId: string | null
  /** Null: all that is judged in a deny rule, else tool calls alone. */
  method: string | null
  toolName: string | null
  toolPattern: string | null
  effect: Effect
  priority: number
  enabled: boolean
  note: string
  /** CEL; null is none. */
  condition: string | null
  expiresAt: string | null
  /** Of a rule that allows; null is none. */
  limit: Limit | null
  examples: RuleExample[]
  createdAt: string
  updatedAt: string
  hits: number
  lastHitAt: string | null
}

/** How many calls in how many seconds. */
export interface Limit {
  calls: number
  seconds: number
}

/** A call that the rules must decide so. Its input is left out, as a call's is. */
export interface RuleExample {
  serverId: string | null
  toolName: string
  hasInput: boolean
  decision: Effect
}

/** What a person says of a rule. Null means "any". */
export interface RuleForm {
  serverId: string | null
  /** Left out of a change, it stays. */
  method?: string | null
  toolName: string | null
  toolPattern: string | null
  effect: Effect
  priority: number
  enabled: boolean
  note: string
  /** CEL; null is none. Left out of a change, it stays. */
  condition?: string | null
  expiresAt?: string | null
  limit?: Limit | null
  id?: string
}

/** An edit of the rules that is looked at before it is made. A rule with an id is laid over the one that has it. */
export interface RuleChange {
  put?: (Partial<RuleForm> & { id?: string })[]
  delete?: string[]
}

/** What an edit would have changed in the past. */
export interface Preview {
  changed: { callId: string; createdAt: string; serverId: string | null; toolName: string; before: Effect; after: Effect; declined: boolean }[]
  changedTotal: number
  /** Of these, how many a person had declined. */
  declined: number
  /** Past calls that were looked at. */
  total: number
  /** Of changedTotal, by "before>after", as "allow>ask". */
  counts: Record<string, number>
  /** Past calls that the first rule of the change applies to, and how many of these a person had declined. */
  matched: number
  matchedDeclined: number
  /** Past calls that are in no other count: a condition would have to see their input, which was wiped. */
  unjudged: number
  narrower: Narrower
}

/** What is odd about a rule; by is the other rule that it is about. */
export interface Finding extends Said {
  ruleId: string
  kind: string
  by: string | null
}

/** A call that the desk made up. */
export interface MadeCall {
  serverId: string | null
  method: string
  toolName: string
  /** JSON text. */
  input: string
  agentId: string
  agentName: string
  sessionId: string
  cwd: string
}

/** Whether something is so: yes and no are proved. */
export type Known = 'yes' | 'no' | 'undecided'

/** Whether an edit of the rules allows nothing that was not allowed before; if not, ruleId and example say what. */
export interface Narrower {
  answer: Known
  /** Null: none, or the settings for reading. */
  ruleId: string | null
  /** Of a condition, that could not be told; or empty. */
  part: string
  example: MadeCall | null
}

/** A kind of tool calls; what is left out may be anything. */
export interface ReachQuery {
  agentId?: string
  serverId?: string
  toolName?: string
  /** Programs and verbs that the line runs, as "git push". */
  names?: string[]
  risk?: Risk
}

/** Whether one allow rule may ever allow such a call. */
export interface ReachRule extends Said {
  ruleId: string
  answer: Known
  /** The other rule, or the rule of the condition, that the code is about. */
  by: string | null
  example: MadeCall | null
}

/** Which rules may ever allow a kind of calls: those that may first. total are all allow rules. */
export interface Reach {
  answer: Known
  rules: ReachRule[]
  total: number
}

/** The past calls that a rule would have matched by itself, and how they were answered. */
export interface Matches {
  calls: number
  approved: number
  declined: number
  /** Ran unasked, or by an earlier answer. */
  allowed: number
  other: number
  maxRisk: Risk
  first: string | null
}

export type HistoryClient = 'claude' | 'codex' | 'gemini' | 'opencode'

/** How far a reading of histories is; result is there when it is done. */
export interface HistoryState {
  state: 'none' | 'reading' | 'done'
  files: number
  bytes: number
  calls: number
  result: History | null
}

/** What the rules would have made of calls that agents made before. */
export interface History {
  calls: number
  asked: number
  high: number
  declined: number
  left: number
  first: string | null
  last: string | null
  different: number
  asking: HistoryCall[]
  rules: { rule: RuleForm; covers: Coverage; calls: number; examples: string[] }[]
  lists: HistoryEntry[]
  unread: { kind: string; count: number; first: string }[]
  full: boolean
}

/** A call that would have asked, with all that are equal to it. */
export interface HistoryCall {
  client: HistoryClient
  serverId: string | null
  toolName: string
  cwd: string | null
  line: string
  risk: Risk
  riskReasons: RiskReason[]
  count: number
}

/** An entry of an agent's own permission list; rule says the same as far as that is safe. */
export interface HistoryEntry {
  client: HistoryClient
  files: string[]
  effect: Effect
  text: string
  calls: number
  rule: RuleForm | null
  unsafe: Said[]
}

/** A rule that may be made, what it reaches, and what it would have matched. */
export interface Offer {
  rule: RuleForm
  covers: Coverage
  past: Matches
  /** It is the one to offer first. */
  first: boolean
}

/** What rules are offered for: a call, or the call whose answer became a grant. */
export type OfferedFor = { callId: string } | { grantId: string }

/** A rule that would have given a person's repeated equal answers. */
export type Suggestion = Omit<Offer, 'first'> & { answers: number }

/** A call to try the rules with; input is JSON text. */
export interface Query {
  serverId: string | null
  method: string
  toolName: string
  input: string
  /** What the server would get beside name and input; left out, it is nothing. */
  envelope?: string
  sessionId?: string
  agentId?: string
  /** Left out, that of the agent. */
  agentName?: string
  cwd?: string
}

/** What the rules say of one part of a call's line; no rule: none applies, or the part needs none. */
export interface PartVerdict {
  name: string
  decision: Effect
  rule: { id: string; priority: number } | null
}

/** What the rules say of a call, and of each rule why it applied or not: to the call, or to one part of its line. */
export interface Verdict {
  decision: Effect
  code: string | null
  params: Params
  reason: string
  rule: { id: string; priority: number } | null
  risk: Risk
  riskReasons: RiskReason[]
  parts: PartVerdict[]
  trace: { ruleId: string; part: number | null; applies: boolean; why: Said }[]
}

export type ImportMode = 'merge' | 'replace'

/** What an import would change. Allows are the rules that would newly allow something: each is accepted by its id. */
export interface RuleDiff {
  added: Rule[]
  changed: { before: Rule; after: Rule }[]
  removed: Rule[]
  same: number
  allows: string[]
  narrower: Narrower
  policyVersion: string
}

/** A remembered answer: what it covers is allowed (or declined) without asking. */
export interface Grant {
  id: string
  agentId: string
  agentName: string
  sessionId: string
  scope: Scope
  covers: Coverage
  approved: boolean
  reason: string
  callId: string
  createdAt: string
  /** Null: with its session. */
  expiresAt: string | null
  hits: number
}

/** Which calls are listed; all that is left out does not matter. */
export interface CallsFilter {
  cursor: string | null
  text?: string
  statuses?: readonly string[]
}

/** What of a tool is not what it was when it was allowed: how it is described, how its server is started, or both; unknown: nothing says that it did not change. */
export type ToolChange = 'definition' | 'launch' | 'both' | 'unknown'

/** The risk that a person gave a tool, in place of its name and its server's hint. */
export interface ToolLevel {
  toolName: string
  risk: Risk
  at: string
  /** The tool's definition changed since: the level counts no more. */
  void: boolean
}

/** A tool as it is now against what it was when it was allowed; null where there is no change. */
export interface ToolLook {
  serverId: string
  toolName: string
  changed: ToolChange | null
  /** The definition is again the allowed one, after another that nobody has accepted. */
  back: boolean
  definition: TextLook | null
  launch: TextLook | null
  /** Names what is shown, for whoever accepts it. */
  shown: { definition: string; launch: string; back: boolean }
}

/** The difference between two texts, which their hashes name. */
export interface TextLook {
  before: string
  after: string
  /** One of the texts is longer than what was compared. */
  cut: boolean
  added: number
  removed: number
  lines: DiffLine[]
  /** Lines of the difference that are left out. */
  more: number
}

/** What came of starting a server to try it. */
export interface ServerTest {
  ok: boolean
  tools: string[]
  /** Of these, what deceives whoever reads it; left out: none. */
  flaggedTools?: FlaggedTool[]
  error: string
  stderr: string
}

/** One that the desk starts (stdio) has a command, one that it asks (http) has an address. */
export interface Server {
  id: string
  transport: 'stdio' | 'http'
  command: string
  args: string[]
  env: Record<string, string>
  cwd: string
  url: string
  /** Sent with each request; the desk masks the values. */
  headers: Record<string, string>
  enabled: boolean
  /** How it does; empty when the desk does not say. Never sent back. */
  state: string
  /** Why it cannot be started or reached as it is kept, in the desk's words; left out or empty: nothing is wrong. Never sent back. */
  trouble?: string
  /** How far its sign-in is, of one over HTTP; left out: there is none. Never sent back. */
  signIn?: SignIn
  /** The tools it was last seen to offer. Never sent back. */
  tools: string[]
  /** Of these, what asks until a person has accepted its change; left out: none. Never sent back. */
  changedTools?: string[]
  /** The risks that persons gave tools; left out: none. Never sent back. */
  toolLevels?: ToolLevel[]
  /** Of these, what deceives whoever reads it; left out: none. Never sent back. */
  flaggedTools?: FlaggedTool[]
  /** Whether all that it starts ends with it; null: of one over HTTP, or not said. Never sent back. */
  endsChildren?: boolean | null
  /** Another one when how it is started or reached is, what masks hide included. Never sent back. */
  revision?: string
  /** Fields of a later desk, kept as they came. */
  rest: Record<string, unknown>
}

/** A sign-in to a server over HTTP that asks for one. */
export interface SignIn {
  state: 'none' | 'waiting' | 'signedIn' | 'failed' | 'expired'
  /** The authorization server; empty while none is known. */
  issuer: string
  /** To open in a browser while it waits; else empty. */
  url: string
  /** What went wrong, in the desk's words; else empty. */
  error: string
  /** The scopes that the server asked for since: to sign in again asks for them, too. */
  wants: string[]
  /** That a person registered; null: the desk registers itself. */
  client: SignInClient | null
}

/** The desk as a person registered it at an authorization server that lets no program register itself. */
export interface SignInClient {
  /** Empty forgets the one that is kept. */
  id: string
  /** Masked by the desk; the mask put back keeps it. */
  secret: string
  /** To ask for instead of those that the server names. */
  scopes: string[]
  /** For the redirect; 0 is any that is free. */
  callbackPort: number
}

/** Where the desk keeps the values of environments and headers. */
export interface SecretsNotice {
  /** A file's path; empty when they end with the desk. */
  where: string
  /** Why they cannot be read or kept, in the desk's words; else empty. */
  trouble: string
}

/** The configuration files of agents' clients, on the machine where the desk runs. */
export interface ClientFiles {
  machine: string
  /** The program that connected clients start; '' where it was not found, and then nothing can be connected. */
  program: string
  files: ClientFile[]
  /** Servers that came by connecting, and that no app uses any more. */
  leftovers: string[]
}

/** Where the entries of a file stand: some can be moved (direct), some of them are behind the desk (partly), all are (behind), none can be moved (left), there are none (empty), or the file cannot be used (broken). */
export type ClientState = 'direct' | 'partly' | 'behind' | 'left' | 'empty' | 'broken'

/** A client's file, and what can be done to it. */
export interface ClientFile {
  id: string
  /** Of the client, as people know it. */
  name: string
  path: string
  state: ClientState
  /** Why it cannot be used, in the desk's words. */
  error: string
  entries: ClientEntry[]
  /** What connecting would do; null when nothing can be moved. shown names it. */
  move: { shown: string; difference: FileDifference } | null
  /** What disconnecting would do; null when it was not connected. */
  back: ClientBack | null
}

/** A tool server in a client's file. */
export interface ClientEntry {
  key: string
  /** The project that it is for, where the file has several. */
  folder: string
  state: 'direct' | 'behind' | 'left'
  /** It can be moved, and is switched off: its server would be off on the desk. */
  off: boolean
  /** Why it is left as it is, in the desk's English. */
  reason: string
  /** The same for words of our own; null where the desk does not say. */
  why: ClientObstacle | null
  /** Its server on the desk, or the one that it would be. */
  serverId: string
}

/** Why an entry is left as it is, or it or its file is not put back. What its code does not speak of is empty. */
export interface ClientObstacle {
  code: string
  /** Of the entry, as the file calls it. */
  field: string
  /** Of a variable, of a header, of the app, or of the entry. */
  name: string
  /** As it stands in the file; or the path of a copy. */
  value: string
}

/** How a file is put back; shown names it. */
export interface ClientBack {
  shown: string
  /** Why it cannot be put back at all; '' when it can. */
  error: string
  /** The same for words of our own; null where the desk does not say. */
  why: ClientObstacle | null
  /** It will be as it was before, byte for byte. */
  exact: boolean
  gone: boolean
  /** What connecting wrote was changed since, or the file is gone: the person has to say so. */
  forced: boolean
  /** What becomes of each entry: put back, taken out since and left out, or changed since. */
  entries: { key: string; outcome: 'back' | 'gone' | 'conflict'; reason: string; why: ClientObstacle | null }[]
  /** Lines that were changed since outside of entries. */
  others: number
  /** Where copies of the file as it was stay, because they hold entries that are gone. */
  copies: string[]
  /** What was changed in entries since connecting, and what would be changed now. */
  theirs: FileDifference
  difference: FileDifference
}

/** How a file differs, with secrets masked. */
export interface FileDifference {
  added: number
  removed: number
  lines: DiffLine[]
  /** Lines that are left out. */
  more: number
  /** A line is longer than what is shown of it. */
  cut: boolean
}

/** What came of connecting: entries that moved, and those that the desk did not take. */
export interface ClientConnected {
  moved: number
  left: { key: string; fault: Fault; reason: string }[]
}

/** What came of disconnecting: servers that left the desk's list, and those that stay because they were changed there. */
export interface ClientDisconnected {
  removed: string[]
  kept: string[]
}

export interface Agent {
  id: string
  name: string
  createdAt: string
}

export interface NewAgent {
  agent: Agent
  token: string
  /** Where the desk keeps the token for `sekisho`; empty when it keeps none. */
  tokenFile: string
}

/** Which version of a row a person takes: the journal's, or the one that stands in the table. */
export type Version = 'journal' | 'table'

/** A row that reads otherwise than the journal says that it was left; null: there is none. */
export interface Difference {
  id: string
  set: 'rules' | 'grants' | 'settings' | 'servers' | 'agents' | 'tools' | 'journal'
  key: string
  journal: Record<string, unknown> | null
  table: Record<string, unknown> | null
}

export interface Settings {
  /** Nothing is allowed without asking. */
  hold: boolean
  /** Seconds that a call waits for a person, by risk; null is for ever. */
  deadlines: Record<Risk, number | null>
  denialMemory: boolean
  /** How often the same call is allowed in a session before it asks; null is without end. */
  brake: Limit | null
  /** What becomes of readings that no rule is about. */
  reads: { resources: Effect; prompts: Effect }
  /** Seconds between a yes and its sending, for medium and high risk; 0 is off. */
  undoSeconds: number
  retention: { journalDays: number; journalMegabytes: number; inputDays: number }
  /** inputMembers are the members and elements, together, of one input. */
  limits: { pendingPerAgent: number; inputMembers: number }
  /** Seconds that a client waits, by the name it introduces itself with. */
  patience: Record<string, number>
  /** Of native texts: '' follows the system. */
  language: string
  window: WindowSettings
}

export interface WindowSettings {
  popUp: boolean
  sound: boolean
  /** Do not disturb: calls queue and nothing comes up by itself. */
  quiet: boolean
  startHidden: boolean
  closeToTray: boolean
  autostart: boolean
}

/** A change of settings: what is left out stays. */
export type SettingsChange = Partial<Pick<Settings, 'denialMemory' | 'undoSeconds' | 'language'>> & {
  /** Null takes a client out. */
  patience?: Record<string, number | null>
  window?: Partial<WindowSettings>
  reads?: Partial<Settings['reads']>
  deadlines?: Partial<Record<Risk, number | null>>
  retention?: Partial<Settings['retention']>
  limits?: Partial<Settings['limits']>
  brake?: Limit | null
}

/** Something may have changed. kind is an event of the desk, "connected", or "reset": events were missed, and nobody knows which. */
export interface Hint {
  kind: string
  /** The call that it is about, where it is about one. */
  callId?: string
}

export interface Info {
  version: string
  face: 'window' | 'browser' | 'fake'
  canOperate: boolean
  /** Where agents reach the desk; empty when the desk does not say. */
  agentsUrl: string
}
