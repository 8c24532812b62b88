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

/** A call of a sub-agent: its run, and the calls that lead to it there, the last of which it is. */
export interface Inner {
  runId: string
  path: string[]
}

/** What drive resumes at the moment, for the tool of a sub-agent, whose own ids are others. */
export const resumed = new AsyncLocalStorage<{ question?: Question; inner?: Inner }>()

const unfit = Symbol('an input that the schema of its tool refuses')

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
  // Its inner form would wait for the outer one, which has claimed the same call.
  if (heldTools.has(tool)) throw new TypeError(`${name} is held already`)
  const { serverId, toolName = name } = options.serverOf?.(name) ?? { serverId: null }
  const check = checked(tool.inputSchema)
  const held: Held = {
    effective: (args) => check(withoutControls(args)),
    question: (input, place) => ({ ...place, serverId, toolName, cwd: options.cwd, input }),
  }
  const own = Object.getOwnPropertyDescriptors(tool)
  const shown = Object.create(Object.getPrototypeOf(tool), own) as Tool & Record<string, unknown>
  const policy = async (args: unknown) => {
    const input = await held.effective(args).catch(() => unfit)
    if (input === unfit) return false // Mastra tells its model so, and does not execute it
    const question = held.question(input, { runId: '', toolCallId: '' })
    // Where it throws, Mastra asks. What a rule denies stops too, and is declined: where a tool of
    // a step throws, Mastra 1.71 tells the model nothing of the step's calls that were declined.
    return (await desk.evaluate(question)).decision !== 'allow'
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
  const was = given ? sealOf(agent.suspendPayload) : undefined
  let question = asked(held.question(input, own))
  let resumes = was !== undefined
  if (was) {
    const { runId, sessionId, toolCallId } = was
    question = { ...question, runId, sessionId, toolCallId, ...resuming(tool, was.payload) }
    question.input = await inputOf(desk, held, question)
    agent.suspendPayload = was.payload
  } else if (given) {
    // The model resumes by itself: the call that waits for a person's data is meant. Beside such
    // data Mastra checks no input.
    question.input = await held.effective(args)
    const waits = await waiting(desk, question)
    resumes = waits !== undefined
    question = waits ?? question
  }
  const { suspend } = agent
  const run = async (effective: unknown, call: Call) => {
    const left: unknown[] = []
    // What it waits for is a question of its own, with the schema of the answer.
    const ask = async (payload: unknown, o: unknown) => {
      const seal = sealed(question, resumes, payload)
      const { payload: _, ...place } = seal
      await desk.open({ ...held.question(effective, place), ...resuming(tool, payload) })
      return suspend({ ...(isRecord(payload) ? payload : {}), [sealName]: seal }, o)
    }
    agent.suspend = (payload: unknown, o: unknown) => left[left.push(ask(payload, o)) - 1]
    agent.resumeData = resumes ? call.resumeData : undefined // never the model's own
    const value = await tool.execute(effective, context)
    await Promise.all(left)
    return value
  }
  return desk.guarded(question, run, { signal: context.abortSignal, check: held.effective })
}

/** The question that drive has put for a call: of a sub-agent's tool that of the outer run. */
function asked(own: Question): Question {
  const { question, inner } = resumed.getStore() ?? {}
  const same = inner?.runId === own.runId && inner.path.at(-1) === own.toolCallId
  return question && same ? question : own
}

/** The question of a session that waits, or waited, for the data to resume the same call. */
async function waiting(desk: Desk, own: Question): Promise<Question | undefined> {
  const { inputHash } = await desk.evaluate(own)
  const chat = { sessionId: own.sessionId }
  // The hash is of the server, the tool and the input.
  const same = (call: Call) =>
    call.resumeRequired && (call.original?.inputHash ?? call.inputHash) === inputHash
  const waits = (call: Call) => same(call) && call.status === 'pending'
  const found = (await desk.find(chat, waits)) ?? (await desk.find(chat, same))
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
const sealName = 'sekisho'

/** The question that a suspended call waits for; the payload that Mastra keeps carries it. */
export interface Seal extends Place {
  payload: unknown
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function sealed(of: Place, resumes: boolean, payload: unknown = null): Seal {
  const { runId, sessionId, toolCallId } = of
  const text = JSON.stringify([toolCallId, payload]) // the same again is another question
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16)
  const call = resumes ? toolCallId.slice(0, toolCallId.lastIndexOf(mark)) : toolCallId
  return { runId, sessionId, toolCallId: `${call}${mark}${digest}`, payload }
}

/** Reads the question of a payload; undefined where no held tool suspended with it. */
export function sealOf(payload: unknown): Seal | undefined {
  const seal = isRecord(payload) ? payload[sealName] : undefined
  return isRecord(seal) && String(seal.toolCallId).includes(mark) ? (seal as any) : undefined
}

/** The input that a question was put with: of a call that a person edited it is the edited one. */
async function inputOf(desk: Desk, held: Held, { runId, toolCallId, input }: Question) {
  const asked = await desk.find({ runId }, (call) => call.toolCallId === toolCallId)
  if (!asked) return input
  const put = asked.original ? asked.original.input : asked.input
  return toJson(put) === toJson(input) ? input : held.effective(put)
}

function resuming(tool: Tool, payload: any): Partial<Question> {
  const standard = tool.resumeSchema?.['~standard']
  const resumeSchema = standard?.jsonSchema?.input?.({ target: 'draft-2020-12' }) ?? {}
  const reason = payload?.reason ?? payload?.question ?? JSON.stringify(payload ?? null)
  return { resumeSchema, resumeRequired: true, description: String(reason) }
}

/** The held form of a tool of the given sets, or else the only one of its name at this desk. */
export function holding(desk: Desk, name: string, sets: (Tools | undefined)[]): Held {
  const given = sets.flatMap((set) => (set && Object.hasOwn(set, name) ? set[name] : [])) as Tool[]
  const only = given.length > 0 ? heldTools.get(given[0] as Tool) : heldNames.get(desk)?.get(name)
  // Which one of several stopped is not known: where one is not held, nobody is asked for it.
  const all = given.every((tool) => heldTools.has(tool))
  if (only && only !== 'several' && all) return only
  throw new TypeError(`${name} is not held by the desk, or several tools of that name are`)
}
