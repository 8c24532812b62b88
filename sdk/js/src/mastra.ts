// Mastra with a desk: tools run only with its yes, and each call at most once.

import { createHash } from 'node:crypto'
import { toJson, words, type Call, type Desk, type Question } from './index.js'
import { checked } from './schema.js'

export interface GateOptions {
  /** The server and the name of a tool as the desk knows them; null: a tool of the program. */
  serverOf?: (name: string) => { serverId: string | null; toolName?: string }
  cwd?: string
}

type Place = { runId: string; sessionId?: string; toolCallId: string }
type Tool = { execute?: any; inputSchema?: any; resumeSchema?: any }
type Tools = Record<string, Tool>
interface Held {
  effective(args: unknown): Promise<unknown>
  question(input: unknown, place: Place): Question
}

/** What drive has approved, for the tool of a sub-agent, whose own ids are others. */
interface Desked {
  held: Map<string, Held | 'several'>
  granted: Map<string, Question[]>
}
const desks = new WeakMap<Desk, Desked>()
const heldTools = new WeakMap<object, Held>()

function about(desk: Desk): Desked {
  const known = desks.get(desk) ?? { held: new Map(), granted: new Map() }
  desks.set(desk, known)
  return known
}

const keyOf = (q: Question) => toJson([q.serverId, q.toolName, q.input])

/**
 * Holds tools of createTool: each asks the desk's rules before it runs, and waits for a person
 * where they ask. The policy is on the tool, where Mastra keeps it over every resumption.
 */
export function gate<T extends Record<string, any>>(
  desk: Desk,
  tools: T,
  options: GateOptions = {},
): T {
  const entries = Object.entries(tools as Tools).map(([name, tool]) => {
    return [name, hold(desk, name, tool, options)]
  })
  return Object.fromEntries(entries) as T
}

/** Holds the tools of each server, as `listToolsets()` of Mastra's MCP client gives them. */
export function gateToolsets<T extends Record<string, Record<string, any>>>(
  desk: Desk,
  toolsets: T,
  options: Pick<GateOptions, 'cwd'> = {},
): T {
  const entries = Object.entries(toolsets).map(([serverId, tools]) => {
    return [serverId, gate(desk, tools, { ...options, serverOf: () => ({ serverId }) })]
  })
  return Object.fromEntries(entries) as T
}

function hold(desk: Desk, name: string, tool: Tool, options: GateOptions): Tool {
  if (typeof tool.execute !== 'function') {
    throw new TypeError(`${name} has no execute: what runs elsewhere cannot be held here`)
  }
  const { serverId, toolName = name } = options.serverOf?.(name) ?? { serverId: null }
  const check = checked(tool.inputSchema)
  const held: Held = {
    effective: (args) => check(withoutControls(args)),
    question: (input, place) => ({ ...place, serverId, toolName, cwd: options.cwd, input }),
  }
  const own = Object.getOwnPropertyDescriptors(tool)
  const shown = Object.create(Object.getPrototypeOf(tool), own) as Tool & Record<string, unknown>
  const policy = async (args: unknown) => {
    const question = held.question(await held.effective(args), { runId: '', toolCallId: '' })
    return (await desk.evaluate(question)).decision === 'ask' // where it throws, Mastra asks
  }
  shown.requireApproval = true
  shown.needsApprovalFn = policy
  shown.execute = (args: unknown, context: any) => runHeld(desk, tool, held, args, context)
  const { held: names } = about(desk)
  names.set(name, names.has(name) ? 'several' : held)
  heldTools.set(shown, held)
  return shown
}

/** Executes a call, or what it resumes, if the desk lets it. */
async function runHeld(desk: Desk, tool: Tool, held: Held, args: unknown, context: any) {
  const agent = context?.agent
  const runId = context?.runId
  if (!agent?.toolCallId || !runId) {
    throw new TypeError('a held tool runs in a run of an agent, which names its calls')
  }
  const sessionId = agent.threadId ?? runId
  const resumes = agent.resumeData != null
  const own = { runId, sessionId, toolCallId: agent.toolCallId }
  const place = resumes ? resumed(own, agent.suspendPayload) : own
  const input = withoutControls(args)
  const question = granted(desk, held.question(input, place))
  if (resumes) Object.assign(question, resuming(tool, agent.suspendPayload))
  const { suspend } = agent
  const run = async (effective: unknown, call: Call) => {
    let payload: unknown
    agent.suspend = (given: unknown, o: unknown) => ((payload = given), suspend(given, o))
    agent.resumeData = resumes ? call.resumeData : undefined // never the model's own
    const value = await tool.execute(effective, context)
    if (payload === undefined) return value
    // What it waits for is a question of its own, with the schema of the answer.
    const next = held.question(effective, resumed(own, payload))
    await desk.open({ ...next, ...resuming(tool, payload) })
    return value
  }
  return desk.guarded(question, run, { signal: context.abortSignal, check: held.effective })
}

/** The members that Mastra and the model put beside a tool's own input. */
const controls = ['resumeData', 'suspendedToolCallId', 'suspendedToolRunId', '_background']

function withoutControls(args: unknown): unknown {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return args
  return Object.fromEntries(Object.entries(args).filter(([name]) => !controls.includes(name)))
}

/** The identity of what a suspended call waits for. */
function resumed(place: Place, payload: unknown): Place {
  const digest = createHash('sha256').update(JSON.stringify(payload ?? null)).digest('hex')
  return { ...place, toolCallId: `${place.toolCallId}/resume-${digest.slice(0, 16)}` }
}

function resuming(tool: Tool, payload: any): Partial<Question> {
  const standard = tool.resumeSchema?.['~standard']
  const resumeSchema = standard?.jsonSchema?.input?.({ target: 'draft-2020-12' }) ?? {}
  const reason = payload?.reason ?? payload?.question ?? JSON.stringify(payload ?? null)
  return { resumeSchema, resumeRequired: true, description: String(reason) }
}

/** The question that drive has answered for a call: of a sub-agent's tool the outer one. */
function granted(desk: Desk, question: Question): Question {
  const same = about(desk).granted.get(keyOf(question)) ?? []
  const { runId, toolCallId } = question
  const own = same.findIndex((q) => q.toolCallId === toolCallId && q.runId === runId)
  const [found] = same.splice(Math.max(own, 0), 1)
  return found ?? question
}

export interface DriveOptions {
  mode?: 'stream' | 'generate'
  /** Options of agent.stream or agent.generate; of a resumption too, but for its ids. */
  options?: Record<string, any>
  /** Is told of each stream, the first and those of resumptions, before it is read. */
  onStream?: (stream: any) => void
  signal?: AbortSignal
}

/** Drives an agent until nothing of its run waits for the desk; gives the last output. */
export async function drive(desk: Desk, agent: any, messages: any, o: DriveOptions = {}) {
  const start = o.mode === 'generate' ? 'generate' : 'stream'
  const output = await agent[start](messages, o.options)
  return follow(desk, agent, output.runId, output, o)
}

/** Takes up the suspended runs of an agent that Mastra's storage has, after a crash. */
export async function recover(
  desk: Desk,
  agent: any,
  o: DriveOptions & { threadId?: string; resourceId?: string } = {},
): Promise<any[]> {
  const { threadId, resourceId } = o
  const { runs } = await agent.listSuspendedRuns({ threadId, resourceId })
  return Promise.all(runs.map((run: any) => follow(desk, agent, run.runId, undefined, o)))
}

async function follow(desk: Desk, agent: any, runId: string, output: any, o: DriveOptions) {
  for (;;) {
    if (output) {
      o.onStream?.(output)
      await output.consumeStream?.()
    }
    const { runs } = await agent.listSuspendedRuns()
    const run = runs.find((one: any) => one.runId === runId)
    if (!run) return output
    const place = { runId, sessionId: run.threadId ?? runId }
    const decide = (call: any) =>
      decided(desk, agent, call, { ...place, toolCallId: call.toolCallId }, o)
    const answers = await Promise.all(run.toolCalls.map(decide))
    for (const [i, call] of run.toolCalls.entries()) {
      const resume = { ...o.options, runId, toolCallId: call.toolCallId }
      const next = await resumption(agent, answers[i], resume, o.mode === 'generate')
      if (next && i < answers.length - 1) await next.consumeStream?.()
      output = next ?? output
    }
  }
}

/** Waits for the desk's answer to one suspended call. */
async function decided(
  desk: Desk,
  agent: any,
  call: any,
  place: Place,
  o: DriveOptions,
): Promise<Call> {
  if (!call.requiresApproval) {
    const { toolCallId } = resumed(place, call.suspendPayload)
    const asked = (await desk.callsOf(place.runId)).find((row) => row.toolCallId === toolCallId)
    if (!asked) throw new TypeError(`${call.toolName} suspended without having asked the desk`)
    return desk.settled(asked, o.signal)
  }
  const tool = await holding(desk, agent, call.toolName, o.options?.toolsets)
  const question = tool.question(await tool.effective(call.args), place)
  const settled = await desk.settled(await desk.open(question, o.signal), o.signal)
  if (settled.decision?.approved) {
    const key = keyOf(question)
    const { granted } = about(desk)
    granted.set(key, [...(granted.get(key) ?? []), question])
  }
  return settled
}

/** The held form of a tool of an agent, of its sub-agents, or else the only one of the name. */
async function holding(desk: Desk, agent: any, name: string, toolsets?: any): Promise<Held> {
  const sets = [...Object.values<Tools>(toolsets ?? {}), await agent.listTools?.()]
  for (const sub of Object.values<any>((await agent.listAgents?.()) ?? {})) {
    sets.push(await sub.listTools?.())
  }
  for (const set of sets) {
    const tool = set && Object.hasOwn(set, name) ? heldTools.get(set[name]) : undefined
    if (tool) return tool
  }
  const only = about(desk).held.get(name)
  if (only && only !== 'several') return only
  throw new TypeError(`${name} is not held by the desk, or several tools of that name are`)
}

/** Goes on with a run by one answer; undefined where another driver has done so. */
async function resumption(agent: any, call: Call, resume: any, whole: boolean) {
  const end = whole ? 'Generate' : ''
  const yes = call.decision?.approved
  const data = yes && call.toolCallId.includes('/resume-')
  try {
    if (data) return await agent[whole ? 'resumeGenerate' : 'resumeStream'](call.resumeData, resume)
    if (yes) return await agent[`approveToolCall${end}`](resume)
    return await agent[`declineToolCall${end}`]({ ...resume, reason: words(call) })
  } catch (why: any) {
    if (why?.id === 'AGENT_RESUME_TOOL_CALL_NOT_SUSPENDED') return undefined
    throw why
  }
}
