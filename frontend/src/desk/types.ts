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
  description: string
  cwd: string | null
  status: string
  why: { rule: { id: string; priority: number } | null; reason: string }
  decision: Decision | null
  risk: Risk
  riskReasons: string[]
  callerGone: boolean
  createdAt: string
  /** While pending: the deadline. Null waits without limit. */
  expiresAt: string | null
}

export interface Decision {
  by: string
  approved: boolean
  reason: string
  ruleId: string | null
  decidedAt: string
}

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
  expiresAt: string | null
  createdAt: string
  updatedAt: string
  hits: number
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
