/** The words of CONTRACT sections 2 to 4 as the front end uses them. Times are RFC 3339 texts. */

export type Risk = 'low' | 'medium' | 'high'
export type Effect = 'allow' | 'ask' | 'deny'

/** One tool call. Its input is left out on purpose: only its raw text may be shown (Desk.input). */
export interface Call {
  id: string
  rev: number
  runId: string
  toolCallId: string
  sessionId: string
  agentId: string
  agentName: string
  serverId: string | null
  toolName: string
  inputHash: string
  /** The hash of what the agent asked for, where a person edited the input: inputHash is then that of the edited one. */
  original: { inputHash: string } | null
  /** The input was removed from the desk; its hash stays. */
  inputWiped: boolean
  description: string
  cwd: string | null
  /** pending, approved, claimed, in_doubt, completed, failed, denied, declined, expired, cancelled, revoked, or a word of a newer desk. */
  status: string
  why: { rule: { id: string; priority: number } | null; reason: string }
  decision: Decision | null
  risk: Risk
  riskReasons: string[]
  callerGone: boolean
  createdAt: string
  /** While pending: the deadline. Null waits without limit. */
  expiresAt: string | null
  /** What an answer of scope class would reach; null: the call is answered once only. */
  class: CallClass | null
  /** A JSON Schema for the data that a person answers with, and those data; null where there are none. */
  resumeSchema: unknown
  resumeData: unknown
}

/** What calls of one class have in common beside agent and session. */
export interface CallClass {
  serverId: string | null
  toolName: string
  /** The command word, where the input has a command. */
  command: string | null
}

export interface Decision {
  /** rule, grant, person, clock, caller or guard. */
  by: string
  approved: boolean
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
  rev: number
  items: PendingCall[]
}

/** A person's answer. inputHash is that of the input which was shown, rev that of the call. */
export interface Answer {
  approved: boolean
  reason: string
  inputHash: string
  rev: number
}

export interface Rule {
  id: string
  serverId: string | null
  toolName: string | null
  toolPattern: string | null
  effect: Effect
  priority: number
  enabled: boolean
  note: string
  /** CEL; null is none. */
  condition: string | null
  expiresAt: string | null
  examples: RuleExample[]
  createdAt: string
  updatedAt: string
  hits: number
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
  toolName: string | null
  toolPattern: string | null
  effect: Effect
  priority: number
  enabled: boolean
  note: string
}

export interface Server {
  id: string
  transport: string
  command: string
  args: string[]
  env: Record<string, string>
  cwd: string
  enabled: boolean
  /** How it does; empty when the desk does not say. Never sent back. */
  state: string
  /** The tools it was last seen to offer. Never sent back. */
  tools: string[]
  /** Fields of other transports, kept as they came. */
  rest: Record<string, unknown>
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

export interface Settings {
  /** Nothing is allowed without asking. */
  hold: boolean
}

/** Something may have changed. kind is an event of CONTRACT section 4, or "connected". */
export interface Hint {
  kind: string
}

export interface Info {
  version: string
  face: 'window' | 'browser' | 'fake'
  canOperate: boolean
  /** Where agents reach the desk; empty when the desk does not say. */
  agentsUrl: string
}
