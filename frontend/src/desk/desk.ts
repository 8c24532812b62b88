/** The desk as the front end sees it: one interface, three faces (window, HTTP, fake). */
import type { Agent, Answer, Call, Hint, Info, NewAgent, PendingSnapshot, Resolution, Rule, RuleForm, Server, Settings } from './types'

/**
 * All methods fail with a DeskError. Events are hints only: they may be lost or
 * overtaken, so whoever listens asks again.
 */
export interface Desk {
  /** What waits for a person, oldest first, and the journal's sequence number that it is not older than. */
  pending(): Promise<PendingSnapshot>
  /** The input of a call exactly as its bytes are, never parsed. */
  input(callId: string): Promise<string>
  /** settled are the other waiting calls that the answer reached. */
  decide(callId: string, answer: Answer): Promise<{ call: Call; settled: string[]; repeated: boolean }>
  /** Settles a call in doubt: it may be claimed again, or counts as failed. */
  resolve(callId: string, action: Resolution): Promise<Call>
  /** Approves the waiting calls that an allow rule decides now, and counts them. */
  release(ruleId: string): Promise<number>

  /** The rules in the order of judgement. */
  rules(): Promise<{ rules: Rule[]; policyVersion: string }>
  createRule(form: RuleForm): Promise<RuleSaved>
  /** What changes leaves out stays. ifMatch is the updatedAt that was seen; another one fails with code lost_update. */
  updateRule(id: string, changes: Partial<RuleForm>, ifMatch: string): Promise<RuleSaved>
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

  settings(): Promise<Settings>
  /** While on, nothing is allowed without asking. */
  hold(on: boolean): Promise<void>

  /** Calls onHint when something may have changed, and after each (re)connection. */
  subscribe(onHint: (hint: Hint) => void): () => void
  info(): Promise<Info>
}

/** A rule as it was stored; pendingMatches counts the waiting calls that it would decide now. */
export interface RuleSaved {
  rule: Rule
  pendingMatches: number
}
