import type { Call, Decision, Rule } from '../desk/types'

/** A waiting call; parts may be replaced. */
export function sampleCall(part: Partial<Call> = {}): Call {
  const id = part.id ?? 'call-1'
  return {
    id,
    rev: 1,
    shownRev: part.rev ?? 1,
    runId: 'run-1',
    toolCallId: `toolu-${id}`,
    sessionId: 'session-1',
    agentId: 'agent-1',
    agentName: 'helper',
    serverId: 'filesystem',
    method: 'tools/call',
    toolName: 'write_file',
    inputHash: `sha256:${id}`,
    envelopeHash: null,
    original: null,
    inputWiped: false,
    description: '',
    cwd: '/home/mika',
    status: 'pending',
    why: { rule: null, reason: 'no rule applies' },
    decision: null,
    risk: 'medium',
    riskReasons: [],
    callerGone: false,
    createdAt: '2026-01-01T00:00:00.000Z',
    expiresAt: null,
    patienceUntil: null,
    class: null,
    resumeSchema: null,
    resumeData: null,
    ...part,
  }
}

/** A person's yes; parts may be replaced. */
export function sampleDecision(part: Partial<Decision> = {}): Decision {
  return { by: 'person', approved: true, reason: '', scope: 'once', ruleId: null, grantId: null, decidedAt: '2026-01-01T00:00:00.000Z', remembered: null, count: 0, ...part }
}

export function sampleRule(part: Partial<Rule> = {}): Rule {
  return {
    id: 'rule-1',
    serverId: 'filesystem',
    method: null,
    toolName: null,
    toolPattern: 'read_*',
    effect: 'allow',
    priority: 100,
    enabled: true,
    note: '',
    condition: null,
    expiresAt: null,
    examples: [],
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    hits: 0,
    lastHitAt: null,
    ...part,
  }
}
