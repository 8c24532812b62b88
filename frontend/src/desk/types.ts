/** The words of the API as the front end uses them, and what only the front end knows. Times are RFC 3339 texts. */
import type { components } from './schemas'

type Schemas = components['schemas']

export type Agent = Schemas['Agent']
export type ArmingTimes = Schemas['ArmingOutBody']
export type Away = Schemas['LookOutBody']
export type Bucket = Schemas['Bucket']
/** One tool call. Its input and envelope are left out on purpose: only their raw text may be shown (Desk.input, Desk.envelope). */
export type Call = Schemas['Call']
export type CallClass = Schemas['Class']
export type ClassPart = Schemas['ClassPart']
export type Clause = Schemas['Clause']
export type ClientApp = Schemas['ClientApp']
export type ClientBack = Schemas['ClientBack']
export type ClientCheck = Schemas['ClientCheck']
export type ClientConnected = Schemas['ClientConnected']
export type ClientDisconnected = Schemas['ClientDisconnected']
export type ClientEntry = Schemas['ClientEntry']
export type ClientFile = Schemas['ClientFile']
export type ClientFiles = Schemas['ClientList']
export type ClientObstacle = Schemas['ClientObstacle']
export type ClientProof = Schemas['ClientProof']
export type ClientTrial = Schemas['ClientTrial']
export type ClientState = ClientFile['state']
/** What a person chose beside connecting an app: hooks, variables that go to the desk, its own limits raised. */
export interface ClientChoice {
  readonly hooks: boolean
  readonly carry: readonly string[]
  readonly limits: boolean
}
export type Conversation = Schemas['Conversation']
export type Coordination = Schemas['Coordination']
export type CommandLook = Schemas['CommandLook']
export type CommandPiece = Schemas['CommandPiece']
export type Coverage = Schemas['Coverage']
export type Decision = Schemas['Decision']
export type DeclinedTool = Schemas['DeclinedTool']
export type Difference = Schemas['Difference']
export type DiffLine = Schemas['DiffLine']
export type Effect = Schemas['Effect']
export type FileDifference = Schemas['ClientDifference']
export type FileLook = Schemas['FileLook']
export type Finding = Schemas['Finding']
export type FlaggedTool = Schemas['FlaggedTool']
export type Grant = Schemas['Grant']
export type History = Schemas['Result']
export type HistoryCall = Schemas['AskedCall']
export type HistoryClient = HistoryCall['client']
export type HistoryEntry = Schemas['ListEntry']
export type HistoryState = Schemas['HistoryState']
export type Insights = Schemas['Report']
/** Whether something is so: yes and no are proved. */
export type Known = Schemas['ReachAnswer']
export type LastLook = Schemas['LastLook']
export type Limit = Schemas['Limit']
export type Look = Schemas['Look']
/** A call that the desk made up. */
export type MadeCall = Schemas['Example']
export type MadeSession = Schemas['MadeSession']
export type Matches = Schemas['Matches']
export type Message = Schemas['Message']
export type Narrower = Schemas['Narrower']
export type Params = Schemas['Params']
export type PartVerdict = Schemas['PartVerdict']
export type Pause = Schemas['PauseOutBody']
export type Preview = Schemas['Preview']
export type Project = Schemas['Project']
export type Reach = Schemas['Reach']
export type ReachRule = Schemas['ReachRule']
export type Risk = Schemas['Risk']
export type RiskReason = Schemas['RiskReason']
export type Rule = Schemas['Rule']
export type RuleDiff = Schemas['RuleDiff']
export type RuleExample = Schemas['Example']
/** How far an answer of a person can be meant to reach; that of a mode comes of its data. */
export type Scope = Exclude<Schemas['Scope'], 'mode'>
export type SecretsNotice = Schemas['SecretsNotice']
export type ServerTest = Schemas['TestServerOutBody']
export type Session = Schemas['Session']
export type Settings = Schemas['Settings']
export type SignIn = Schemas['SignIn']
export type SignInClient = Schemas['SignInClient']
export type Stretch = Schemas['Stretch']
export type Summary = Schemas['Summary']
export type Talk = Schemas['ConversationOutBody']
export type Task = Schemas['Task']
export type TextFlag = Schemas['TextFlag']
export type TextLook = Schemas['TextLook']
export type ToolChange = Schemas['ToolChange']
export type ToolLevel = Schemas['ToolLevel']
export type ToolLook = Schemas['ToolLook']
export type ToolPermission = Schemas['ToolPermission']
/** Who may use which tool of a server at all, by exact names and * for all others; null: nothing is checked. */
export type ToolTable = Readonly<Record<string, ToolPermission>> | null
export type Verdict = Schemas['Verdict']
export type WindowSettings = Schemas['WindowSettings']

/** What of MCP is judged. */
export type Method = 'tools/call' | 'resources/read' | 'resources/subscribe' | 'prompts/get'

/** What the desk says: a code (null: a person's own words), the values that the words of the code name, and the same in English. */
export interface Said {
  code: string | null
  params: Params
  text: string
}

/** What is wrong with a field; its path '' is that of no field. */
export interface Fault {
  code: string
  params: Params
  field: string
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
  /** The version of the file that the call writes, as it was shown: a workspace's tools write over no other. */
  fileVersion?: string
  /** Whether a decline is given again by itself; left out, as the settings say. */
  remember?: boolean
}

/** What the page reports as being looked at. */
export interface Attention {
  callId: string
  rev: number
}

/** What a person says of a rule. Null means "any"; what is left out of a change stays. */
export type RuleForm = Pick<Rule, 'serverId' | 'toolName' | 'toolPattern' | 'effect' | 'priority' | 'enabled' | 'note'> &
  Partial<Pick<Rule, 'method' | 'condition' | 'expiresAt' | 'limit' | 'id'>>

/** An edit of the rules that is looked at before it is made. A rule with an id is laid over the one that has it. */
export interface RuleChange {
  put?: Partial<RuleForm>[]
  delete?: string[]
}

/** A stretch of time of which counts are asked; without an end it ends now. */
export interface InsightsQuery {
  from: string
  to?: string
  bucket: 'hour' | 'day'
  /** Of the IANA database: by its clocks days begin. */
  zone: string
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

/** A rule that may be made, what it reaches, what it would have matched, and whether it is the one to offer first. */
export type Offer = Schemas['Choice'] & { rule: RuleForm }
export type Wording = Schemas['Wording']

/** A rule that would have given a person's repeated equal answers. */
export type Suggestion = Omit<Schemas['Suggestion'], 'rule'> & { rule: RuleForm }

/** What rules are offered for: a call, or the call whose answer became a grant. */
export type OfferedFor = { callId: string } | { grantId: string }

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
  /** Left out, the agent itself asks. */
  agentSubagent?: string
  cwd?: string
}

export type ImportMode = 'merge' | 'replace'

/** Which calls are listed; all that is left out does not matter. */
export interface CallsFilter {
  cursor: string | null
  text?: string
  statuses?: readonly string[]
}

/** What of a server a person writes, and what the desk alone says of it: it is left out of a draft, and never sent back. */
export type Server = Pick<Schemas['ServerShown'], ServerField> & Partial<Omit<Schemas['ServerShown'], ServerField>>
type ServerField = 'id' | 'transport' | 'command' | 'args' | 'env' | 'cwd' | 'url' | 'headers' | 'enabled' | 'state' | 'tools'

export interface NewAgent {
  agent: Agent
  token: string
  /** Where the desk keeps the token for `sekisho`; empty when it keeps none. */
  tokenFile: string
}

/** The members of a project, by the ids of agents, each with the role of its sessions. */
export type Members = Readonly<Record<string, string>>

/** A session that a person has the desk make for an agent. */
export interface NewSession {
  agentId: string
  role: 'manager' | 'worker'
  purpose: 'task' | 'chat'
  projectId: string
  /** How long its token lives. */
  ttlSeconds: number
}

/** What is to be done, in words. */
export interface TaskWords {
  title: string
  description: string
}

export interface NewTask extends TaskWords {
  /** Null: nobody yet. */
  assigneeId: string | null
}

/** How a person ends a task. */
export interface TaskEnd {
  result: 'success' | 'failed' | 'blocked'
  summary: string
}

/** Which version of a row a person takes: the journal's, or the one that stands in the table. */
export type Version = 'journal' | 'table'

/** A change of settings: what is left out stays. */
export type SettingsChange = Partial<Pick<Settings, 'denialMemory' | 'undoSeconds' | 'language' | 'brake'>> & {
  /** Null takes a client out. */
  patience?: Record<string, number | null>
} & { [Part in 'window' | 'reads' | 'deadlines' | 'retention' | 'limits' | 'hooks']?: Partial<Settings[Part]> }

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
