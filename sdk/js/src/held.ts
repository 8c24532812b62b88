// Tools of the AI SDK that ask the desk before they run.

import { isDeepStrictEqual } from 'node:util'
import { derived, requested, runOf, type Message } from './history.js'
import { toJson, type Desk, type Question } from './index.js'
import { checked } from './schema.js'

export interface GateOptions {
  /** The run; together with a tool call's id it is the call's identity. Else it is made. */
  runId?: string
  /** The chat of one user. Else the run is the session: never use one for all users. */
  sessionId?: string
  /** The server and the name of a tool as the desk knows them; null: a tool of the program. */
  serverOf?: (name: string) => { serverId: string | null; toolName?: string }
  cwd?: string
}

// What this module reads of the SDK's tools, in all three versions.
type Options = {
  toolCallId: string
  messages: Message[]
  abortSignal?: AbortSignal
  stored?: boolean // whether the input is of a history, and was not checked by the SDK
}
type Tool = { execute?: any; inputSchema?: any; needsApproval?: any }
export type Tools = Record<string, Tool>
export interface Held {
  question(input: unknown, toolCallId: string, messages: Message[]): Question
  execute(input: unknown, options: Options): Promise<unknown>
}

const heldTools = new WeakMap<object, Held>()
const heldNames = new WeakMap<Desk, Map<string, Held | 'several'>>()

/** The held form of a tool: of the given tools, else the only one of that name at this desk. */
export function holding(desk: Desk, name: string, tools?: Tools): Held | undefined {
  const tool = tools && Object.hasOwn(tools, name) ? tools[name] : undefined
  if (tool) return heldTools.get(tool)
  const held = heldNames.get(desk)?.get(name)
  if (held !== 'several') return held
  throw new TypeError(`several tools are called ${name}: give the tools of this chat`)
}

/**
 * Holds tools: each asks the desk's rules before it runs, and waits for a person where they ask.
 * The policy is the desk's; a needsApproval of the tools' own is replaced.
 */
export function gate<T extends Record<string, any>>(
  desk: Desk,
  tools: T,
  options: GateOptions = {},
): T {
  const names = heldNames.get(desk) ?? new Map<string, Held | 'several'>()
  heldNames.set(desk, names)
  const entries = Object.entries(tools as Tools).map(([name, tool]) => {
    const { execute, inputSchema } = tool
    if (typeof execute !== 'function') {
      throw new TypeError(`${name} has no execute: what runs elsewhere cannot be held here`)
    }
    // Its inner form would wait for the outer one, which has claimed the same call.
    if (heldTools.has(tool)) throw new TypeError(`${name} is held already`)
    const { serverId, toolName = name } = options.serverOf?.(name) ?? { serverId: null }
    const about = { serverId, toolName, cwd: options.cwd }
    const question: Held['question'] = (input, toolCallId, messages) => {
      const { sessionId } = options
      const runId = options.runId ?? runOf(messages) ?? derived(toolCallId, messages, sessionId)
      return { ...about, runId, sessionId: sessionId ?? runId, toolCallId, input }
    }
    const held: Tool & Held = {
      ...tool,
      question,
      execute: (input: unknown, o: Options) => {
        const check = checked(inputSchema)
        const run = async (effective: unknown) => {
          if (o.stored) fits(effective, await check(effective))
          return last(await execute.call(tool, effective, o))
        }
        const asked = question(input, o.toolCallId, o.messages)
        return desk.guarded(asked, run, { signal: o.abortSignal, check })
      },
      // Throwing here would end the run: a desk that cannot be asked means that a person is.
      needsApproval: async (input: unknown, o: Options) => {
        if (requested(o.messages, o.toolCallId)) return true
        try {
          const verdict = await desk.evaluate(question(input, o.toolCallId, o.messages))
          return verdict.decision === 'ask'
        } catch {
          return true
        }
      },
    }
    const { question: _, ...shown } = held
    heldTools.set(shown, held)
    names.set(name, names.has(name) ? 'several' : held)
    return [name, shown]
  })
  return Object.fromEntries(entries) as T
}

/** Holds the tools of one MCP server, by its id at the desk. */
export function wrapMcpTools<T extends Record<string, any>>(
  desk: Desk,
  serverId: string,
  tools: T,
  options: GateOptions = {},
): T {
  return gate(desk, tools, { ...options, serverOf: () => ({ serverId }) })
}

/** Takes execute away: AI SDK 5 then ends the step, and run5 runs what the desk lets run. */
export function gate5<T extends Record<string, any>>(desk: Desk, tools: T, o?: GateOptions): T {
  const entries = Object.entries(gate(desk, tools, o) as Tools).map(([name, tool]) => {
    const { execute: _, needsApproval: __, ...shown } = tool
    heldTools.set(shown, heldTools.get(tool) as Held)
    return [name, shown]
  })
  return Object.fromEntries(entries) as T
}

/** Makes AI SDK 7's setting toolApproval. It never answers undefined, which would run the tool. */
export function toolApproval(desk: Desk, tools: Record<string, any>) {
  return async ({ toolCall, messages }: { toolCall: any; messages: any[] }) => {
    try {
      const held = holding(desk, toolCall.toolName, tools)
      if (!held) return { type: 'user-approval' as const }
      const asked = held.question(toolCall.input, toolCall.toolCallId, messages)
      const { decision, reason } = await desk.evaluate(asked)
      if (decision === 'allow') return { type: 'not-applicable' as const }
      return decision === 'deny'
        ? { type: 'denied' as const, reason: reason.slice(0, 4000) }
        : { type: 'user-approval' as const }
    } catch {
      return { type: 'user-approval' as const }
    }
  }
}

/** Throws where a schema makes another input of one: then it was not checked by that schema. */
function fits(input: unknown, made: unknown): void {
  const plain = (value: unknown) => JSON.parse(toJson(value)) as unknown
  if (isDeepStrictEqual(plain(input), plain(made))) return
  throw new TypeError("the input of the history does not fit the tool's schema")
}

/** The value of a tool's execution; of a stream of values the last one. */
async function last(output: any): Promise<unknown> {
  if (typeof output?.[Symbol.asyncIterator] !== 'function') return output
  let value: unknown
  for await (value of output);
  return value
}
