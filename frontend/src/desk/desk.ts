/** The desk as the front end sees it: one interface, three faces (window, HTTP, fake). */
import type { Agent, Answer, Call, Hint, Info, NewAgent, PendingSnapshot, Rule, RuleForm, Server } from './types'

/**
 * All methods fail with a DeskError. Events are hints only: they may be lost or
 * overtaken, so whoever listens asks again.
 */
export interface Desk {
  /** What waits for a person, oldest first, and the journal's sequence number that it is not older than. */
  pending(): Promise<PendingSnapshot>
  /** The input of a call exactly as its bytes are, never parsed. */
  input(callId: string): Promise<string>
  decide(callId: string, answer: Answer): Promise<{ call: Call; repeated: boolean }>

  /** The rules in the order of judgement. */
  rules(): Promise<{ rules: Rule[]; policyVersion: string }>
  createRule(form: RuleForm): Promise<RuleSaved>
  /** ifMatch is the updatedAt that was seen; another one fails with code lost_update. */
  updateRule(id: string, form: RuleForm, ifMatch: string): Promise<RuleSaved>
  deleteRule(id: string, ifMatch: string): Promise<RuleSaved>

  servers(): Promise<Server[]>
  /** Puts the list in the place of all. A masked value keeps the secret it stands for. */
  saveServers(servers: Server[]): Promise<Server[]>

  agents(): Promise<Agent[]>
  /** The token is in this answer and nowhere else. */
  createAgent(name: string): Promise<NewAgent>
  deleteAgent(id: string): Promise<void>

  /** All calls, newest first; the cursor is `next` of the page before. */
  calls(page: { cursor: string | null }): Promise<{ calls: Call[]; next: string | null }>

  /** Calls onHint when something may have changed, and after each (re)connection. */
  subscribe(onHint: (hint: Hint) => void): () => void
  info(): Promise<Info>
}

/** A rule as it was stored; pendingMatches counts the waiting calls that it would decide now. */
export interface RuleSaved {
  rule: Rule
  pendingMatches: number
}
