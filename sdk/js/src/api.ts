// What the desk says and is asked over REST, as far as this package uses it.

export type Status =
  | 'pending' | 'approved' | 'claimed' | 'in_doubt' | 'completed' | 'failed'
  | 'denied' | 'declined' | 'expired' | 'cancelled' | 'revoked'

/** A call as the desk has it; what this package reads of it. */
export interface Call {
  id: string
  rev: number
  runId: string
  toolCallId: string
  sessionId: string
  serverId: string | null
  toolName: string
  input: unknown
  inputHash: string
  /** The input as it was asked, where a person edited it; null where nobody did. */
  original: { input: unknown; inputHash: string } | null
  status: Status
  why: { reason: string }
  decision: { by: string; approved: boolean; reason: string } | null
  expiresAt: string | null
  claimId: string | null
  result: unknown
  resumeData: unknown
  resumeSchema: unknown
  /** Whether the answer has to bring data that fits the schema. */
  resumeRequired: boolean
  description: string
}

/** What is asked, by its identity `(agent, runId, toolCallId)`. */
export interface Question {
  runId: string
  toolCallId: string
  /** One stretch of work of one user. Left out, the run is the session. */
  sessionId?: string
  /** The server as the desk lists it; null is a tool of the program's own. */
  serverId?: string | null
  toolName: string
  input: unknown
  description?: string
  cwd?: string
  timeoutSeconds?: number
  resumeSchema?: unknown
  resumeRequired?: boolean
}

export interface Verdict {
  decision: 'allow' | 'ask' | 'deny'
  reason: string
  inputHash: string
}

export interface DeskEvent {
  id: string
  type: string
  data: unknown
}

/** An error of the desk, with the status of HTTP (0: no answer) and the desk's code. */
export class DeskError extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly code: string,
    readonly call?: Call,
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.name = 'DeskError'
  }
}

/** Writes JSON as the program's values are. What JSON would silently change is refused. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (key, v: unknown) => {
    if (typeof v === 'number' && !Number.isFinite(v)) {
      throw new TypeError(`${v} at "${key}" is no JSON number`)
    }
    if (v instanceof Map || v instanceof Set) {
      throw new TypeError(`a ${v.constructor.name} at "${key}" is empty in JSON`)
    }
    return v
  })
}
