// Tools of Mastra that ask the desk before they run.

import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import { toJson, type Call, type Desk, type Question } from './index.js'
import { checked } from './schema.js'

export interface GateOptions {
  /** The server and the name of a tool as the desk knows them; null: a tool of the program. */
  serverOf?: (name: string) => { serverId: string | null; toolName?: string }
  cwd?: string
}

export type Place = { runId: string; sessionId?: string; toolCallId: string }
type Tool = { execute?: any; inputSchema?: any; resumeSchema?: any }
export type Tools = Record<string, Tool>
export interface Held {
  effective(args: unknown): Promise<unknown>
  question(input: unknown, place: Place): Question
}

const heldTools = new WeakMap<object, Held>()
const heldNames = new WeakMap<Desk, Map<string, Held | 'several'>>()

/** What drive resumes at the moment, for the tool of a sub-agent, whose own ids are others. */
export const resumed = new AsyncLocalStorage<{ question?: Question }>()

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
  const names = heldNames.get(desk) ?? new Map<string, Held | 'several'>()
  heldNames.set(desk, names)
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
  const own = { runId, sessionId: agent.threadId ?? runId, toolCallId: agent.toolCallId }
  const input = withoutControls(args)
  const given = agent.resumeData != null
  const payload = agent.suspendPayload
  let question = asked(held.question(input, own))
  let resumes = given && payload !== undefined
  if (resumes) {
    question = { ...held.question(input, resumption(own, payload)), ...resuming(tool, payload) }
  } else if (given) {
    // The model resumes by itself: the call that waits for a person's data is meant.
    const waits = await waiting(desk, question)
    resumes = waits !== undefined
    question = waits ?? question
  }
  const { suspend } = agent
  const run = async (effective: unknown, call: Call) => {
    let left: unknown
    agent.suspend = (what: unknown, o: unknown) => ((left = what ?? null), suspend(what, o))
    agent.resumeData = resumes ? call.resumeData : undefined // never the model's own
    const value = await tool.execute(effective, context)
    if (left === undefined) return value
    // What it waits for is a question of its own, with the schema of the answer.
    const next = held.question(effective, resumption(own, left))
    await desk.open({ ...next, ...resuming(tool, left) })
    return value
  }
  return desk.guarded(question, run, { signal: context.abortSignal, check: held.effective })
}

/** The question that drive has put for a call: of a sub-agent's tool the outer one, once. */
function asked(own: Question): Question {
  const store = resumed.getStore()
  const outer = store?.question
  if (!store || !outer || outer.runId === own.runId || keyOf(outer) !== keyOf(own)) return own
  store.question = undefined
  return outer
}

/** The question of a session that waits, or waited, for the data to resume the same call. */
async function waiting(desk: Desk, own: Question): Promise<Question | undefined> {
  const { inputHash } = await desk.evaluate(own)
  const all = await desk.calls({ sessionId: own.sessionId })
  const same = all.filter(
    (call) =>
      call.toolCallId.includes(mark) &&
      call.toolName === own.toolName &&
      call.serverId === own.serverId &&
      (call.original?.inputHash ?? call.inputHash) === inputHash,
  )
  const found = same.find((call) => call.status === 'pending') ?? same[0]
  if (!found) return undefined
  const { runId, toolCallId, sessionId, description, resumeSchema } = found
  return { ...own, runId, toolCallId, sessionId, description, resumeSchema, resumeRequired: true }
}

/** The members that Mastra and the model put beside a tool's own input. */
const controls = ['resumeData', 'suspendedToolCallId', 'suspendedToolRunId', '_background']

function withoutControls(args: unknown): unknown {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return args
  return Object.fromEntries(Object.entries(args).filter(([name]) => !controls.includes(name)))
}

const mark = '/resume-'

/** The identity of what a suspended call waits for. */
export function resumption(place: Place, payload: unknown): Place {
  const digest = createHash('sha256').update(JSON.stringify(payload ?? null)).digest('hex')
  return { ...place, toolCallId: `${place.toolCallId}${mark}${digest.slice(0, 16)}` }
}

function resuming(tool: Tool, payload: any): Partial<Question> {
  const standard = tool.resumeSchema?.['~standard']
  const resumeSchema = standard?.jsonSchema?.input?.({ target: 'draft-2020-12' }) ?? {}
  const reason = payload?.reason ?? payload?.question ?? JSON.stringify(payload ?? null)
  return { resumeSchema, resumeRequired: true, description: String(reason) }
}

/** The held form of a tool of the given sets, or else the only one of its name at this desk. */
export function holding(desk: Desk, name: string, sets: (Tools | undefined)[]): Held {
  for (const set of sets) {
    const tool = set && Object.hasOwn(set, name) ? heldTools.get(set[name] as Tool) : undefined
    if (tool) return tool
  }
  const only = heldNames.get(desk)?.get(name)
  if (only && only !== 'several') return only
  throw new TypeError(`${name} is not held by the desk, or several tools of that name are`)
}
