import type { Call, ClassPart, Coverage, Decision, Finding, Offer, Rule, RuleForm, Session, Task } from '../desk/types'

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
    agentSubagent: null,
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
    why: { rule: null, code: 'no_rule', params: {}, reason: 'no rule applies' },
    decision: null,
    risk: 'medium',
    riskReasons: [],
    callerGone: false,
    createdAt: '2026-01-01T00:00:00.000Z',
    expiresAt: null,
    patienceUntil: null,
    class: null,
    onlyOnce: '',
    covers: null,
    resumeSchema: null,
    resumeData: null,
    resumeRequired: false,
    inputFixed: false,
    summary: null,
    handedOver: false,
    ...part,
  }
}

/** What is odd about a rule, with the first code of the kind. */
export function sampleFinding(ruleId: string, kind: string, by: string | null = null): Finding {
  return { ruleId, kind, by, code: kind === 'unreachable' ? 'unreachable_covered' : kind, params: {}, message: 'desk' }
}

type CoveragePart = Partial<Coverage['params']> & { code?: string; text?: string }

/** What an answer to the kind of a call reaches; parts may be replaced. */
export function sampleCoverage({ code = 'tool', text = '', ...part }: CoveragePart = {}): Coverage {
  const params = { serverId: 'filesystem', toolName: 'write_file', folder: '', parts: [], path: '', hosts: [], maxRisk: 'medium' as const, ...part }
  return { code, params, text }
}

/** A rule that is offered for a call; parts of it and of what is said of it may be replaced. */
export function sampleOffer(rule: RuleForm, covers: CoveragePart = {}, past: Partial<Offer['past']> = {}): Offer {
  return {
    rule,
    covers: sampleCoverage({ serverId: rule.serverId, toolName: rule.toolName ?? '', ...covers }),
    past: { calls: 0, approved: 0, declined: 0, allowed: 0, other: 0, maxRisk: 'low', first: null, ...past },
    first: false,
  }
}

/** A part of a line as an answer reaches it; parts of it may be replaced. */
export function sampleClassPart(name: string, folder: string, part: Partial<ClassPart> = {}): ClassPart {
  return { name, chosen: [], writes: [], folder, risk: null, ...part }
}

/** What tells of a call that may be answered for its kind: the line of a tool, or without parts the tool. */
export function sampleKind(...parts: string[]): Pick<Call, 'class' | 'covers'> {
  const named = parts.map((name) => sampleClassPart(name, '/home/mika'))
  const [serverId, toolName] = parts.length > 0 ? ['shell', 'execute_command'] : ['filesystem', 'write_file']
  return {
    class: { serverId, method: 'tools/call', toolName, folder: '', parts: parts.length > 0 ? named : null },
    covers: {
      class: sampleCoverage({ code: parts.length > 0 ? 'commands' : 'tool', serverId, toolName, parts: named }),
      session: sampleCoverage({ code: 'server', serverId, toolName: '' }),
    },
  }
}

/** A person's yes; parts may be replaced. */
export function sampleDecision(part: Partial<Decision> = {}): Decision {
  return { by: 'person', approved: true, code: null, params: {}, reason: '', scope: 'once', ruleId: null, grantId: null, decidedAt: '2026-01-01T00:00:00.000Z', remembered: null, count: 0, ...part }
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
    limit: null,
    examples: [],
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    hits: 0,
    lastHitAt: null,
    ...part,
  }
}

const at = '2026-01-01T00:00:00.000Z'

/** A session of an agent for a task, and that task. */
export const sampleSession: Session = {
  id: 's', agentId: 'a', agentName: 'scribe', client: null, cwd: null, role: 'worker', purpose: 'task', projectId: 'site',
  state: 'working', pending: 0, createdAt: at, lastSeenAt: at, expiresAt: null,
}

export const sampleTask: Task = {
  id: 't-1', projectId: 'site', title: 'Write the note', description: '', assigneeId: 'a', state: 'in_progress', result: null, summary: '',
  sessionId: 's', createdBy: null, createdAt: at, updatedAt: at,
}
