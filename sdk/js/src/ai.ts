// The AI SDK (5, 6 and 7) with a desk: tools run only with its yes, and each call at most once.

import { holding, type Tools } from './held.js'
import {
  calls, dangling, marked, requests, unconfirmed, type Message, type Part,
} from './history.js'
import { DeskError, words, type Desk, type Status } from './index.js'

export { chat } from './chat.js'
export { gate, gate5, toolApproval, wrapMcpTools, type GateOptions } from './held.js'
export type { Message } from './history.js'

/** What this module reads of a result of the SDK. */
export type Result = {
  consumeStream?: () => PromiseLike<void>
  response: any
  responseMessages?: any
}

const ran: Status[] = ['approved', 'claimed', 'completed', 'failed', 'in_doubt']

export interface AnswerOptions {
  /** The held tools of this chat; needed where a desk serves several chats. */
  tools?: Tools
  signal?: AbortSignal
}

/**
 * Waits for the desk's answer to every open request of the last step, and gives one tool message
 * with all of them; undefined where none is open. What the SDK answered by itself is left alone.
 */
export async function answer(desk: Desk, messages: Message[], o: AnswerOptions = {}) {
  const open = requests(messages)
  if (open.length === 0) return undefined
  const content = await Promise.all(open.map((request) => respond(desk, messages, request, o)))
  return { role: 'tool' as const, content }
}

async function respond(desk: Desk, messages: Message[], request: Part, o: AnswerOptions) {
  const type = 'tool-approval-response' as const
  const { approvalId } = request
  try {
    const asked = calls(messages).find((part) => part.toolCallId === request.toolCallId)
    const held = asked && holding(desk, asked.toolName, o.tools)
    if (!held) throw new TypeError(`${asked?.toolName ?? 'this call'} is not held by the desk`)
    const call = await desk.open(held.question(asked.input, asked.toolCallId, messages), o.signal)
    const settled = await desk.settled(call, o.signal)
    // What has run is approved too: execute then gives what came of it, and runs nothing.
    if (ran.includes(settled.status)) return { type, approvalId, approved: true }
    return { type, approvalId, approved: false, reason: words(settled) }
  } catch (why) {
    if (o.signal?.aborted || why instanceof TypeError) throw why
    return { type, approvalId, approved: false, reason: text(why) }
  }
}

export interface RunOptions extends AnswerOptions {
  /** Is told of each answer before the next step. */
  onAnswer?: (message: Message) => void
}

/**
 * Drives generateText, streamText or a ToolLoopAgent until nothing waits for the desk. `next` makes
 * one request with the history that it is given. The returned history carries the run's id.
 */
export async function run<R extends Result>(
  desk: Desk,
  messages: Message[],
  next: (messages: any[]) => R | PromiseLike<R>,
  o: RunOptions = {},
): Promise<{ result: R; messages: Message[] }> {
  const history = marked(messages)
  for (;;) {
    const answered = await answer(desk, history, o)
    if (answered) history.push(answered)
    if (answered) o.onAnswer?.(answered)
    const result = await next(history)
    await result.consumeStream?.()
    history.push(...((await result.responseMessages) ?? (await result.response).messages))
    if (requests(history).length === 0) return { result, messages: history }
  }
}

/**
 * Takes up a stored history after a crash: calls of the last step that have no result get the one
 * that the desk has, or are executed if they were not. Then it goes on as `run` does.
 */
export async function recover<R extends Result>(
  desk: Desk,
  messages: Message[],
  next: (messages: any[]) => R | PromiseLike<R>,
  o: RunOptions = {},
): Promise<{ result: R; messages: Message[] }> {
  const history = marked(messages)
  const content = await results(desk, history, true, o)
  return run(desk, content.length ? [...history, { role: 'tool', content }] : history, next, o)
}

/** Drives AI SDK 5 with tools of gate5: the desk's answers are the results of the tool calls. */
export async function run5<R extends Result>(
  desk: Desk,
  messages: Message[],
  next: (messages: any[]) => R | PromiseLike<R>,
  o: RunOptions = {},
): Promise<{ result: R; messages: Message[] }> {
  const history = marked(unconfirmed(messages))
  for (let stored = true; ; stored = false) {
    const content = await results(desk, history, stored, o)
    if (content.length > 0) history.push({ role: 'tool', content })
    const result = await next(history)
    await result.consumeStream?.()
    history.push(...(await result.response).messages)
    if (dangling(history).length === 0) return { result, messages: history }
  }
}

/**
 * Runs calls that the desk lets run, and gives a result for each, for the model. The inputs of a
 * stored history may be a page's: only one that fits the tool's schema runs.
 */
function results(desk: Desk, messages: Message[], stored: boolean, o: AnswerOptions) {
  return Promise.all(
    dangling(messages).map(async ({ toolCallId, toolName, input }) => {
      const held = holding(desk, toolName, o.tools)
      if (!held) throw new TypeError(`${toolName} is not held by the desk`)
      const part = { type: 'tool-result' as const, toolCallId, toolName }
      try {
        const about = { toolCallId, messages, abortSignal: o.signal, stored }
        const output = await held.execute(input, about)
        return { ...part, output: { type: 'json', value: output ?? null } }
      } catch (why) {
        if (o.signal?.aborted) throw why
        return { ...part, output: { type: 'error-text', value: text(why) } }
      }
    }),
  )
}

/** Words for the model of a call that gave no result. */
function text(why: unknown): string {
  if (why instanceof DeskError && why.code === 'declined') {
    return `Error: User denied access: ${why.message}`.slice(0, 4000)
  }
  const said = why instanceof Error ? why.message || why.name : String(why)
  return said.slice(0, 4000) || 'The call has failed.'
}
