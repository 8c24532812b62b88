// The AI SDK's message history, read for tool calls, requests for approval and the run's id.

import { createHash, randomUUID } from 'node:crypto'

export type Part = { type: string; [key: string]: any }
export type Message = { role: string; content: string | any[]; providerOptions?: any }

const parts = (message: Message | undefined): Part[] =>
  message && Array.isArray(message.content) ? message.content : []

const isCall = (part: Part) => part.type === 'tool-call'
const ofTools = (messages: Message[]) => messages.filter((m) => m.role === 'tool').flatMap(parts)

/** Where the last step's message is; -1 without one. */
const lastStep = (messages: Message[]) => messages.findLastIndex((m) => m.role === 'assistant')

/** The tool calls of the last step. */
export const calls = (messages: Message[]) => parts(messages[lastStep(messages)]).filter(isCall)

/** The requests for approval of the last step that nobody has answered. */
export function requests(messages: Message[]): Part[] {
  const at = lastStep(messages)
  const after = ofTools(messages.slice(at + 1))
  return parts(messages[at]).filter(
    (part) =>
      part.type === 'tool-approval-request' &&
      !part.isAutomatic &&
      !after.some((a) => a.approvalId === part.approvalId || a.toolCallId === part.toolCallId),
  )
}

/** Whether a call's approval was requested: the desk has it, and what the rules say now is late. */
export const requested = (messages: Message[], toolCallId: string): boolean =>
  messages.flatMap(parts).some((part) => {
    return part.type === 'tool-approval-request' && part.toolCallId === toolCallId
  })

/** The calls of the last step that have neither a result nor a request for approval. */
export function dangling(messages: Message[]): Part[] {
  const at = lastStep(messages)
  const known = [...parts(messages[at]).filter((p) => !isCall(p)), ...ofTools(messages.slice(at))]
  return calls(messages).filter((c) => !known.some((part) => part.toolCallId === c.toolCallId))
}

/** Leaves out what a page answered to open requests: only the desk answers here. */
export function withoutAnswers(messages: Message[]): { messages: Message[]; ignored: number } {
  const at = lastStep(messages)
  const done = new Set(ofTools(messages.slice(at + 1)).map((part) => part.toolCallId))
  const own = parts(messages[at]).filter((p) => p.type === 'tool-approval-request')
  const held = own.filter((p) => !p.isAutomatic && !done.has(p.toolCallId))
  const open = new Set(held.map((p) => p.approvalId))
  let ignored = 0
  const kept = messages.flatMap((message, i) => {
    if (i <= at || message.role !== 'tool') return [message]
    const content = parts(message).filter((part) => {
      const answered = part.type === 'tool-approval-response' && open.has(part.approvalId)
      if (answered) ignored++
      return !answered
    })
    return content.length > 0 ? [{ ...message, content }] : []
  })
  return { messages: kept, ignored }
}

/**
 * Takes what a page says of AI SDK 5's calls for no result: 'Yes, confirmed.' approves nothing, and
 * 'No, denied.' is a no, which the page may say.
 */
export function unconfirmed(messages: Message[]): Message[] {
  const at = lastStep(messages)
  return messages.flatMap((message, i) => {
    if (i <= at || message.role !== 'tool') return [message]
    const content = parts(message).flatMap((part) => {
      const said = part.output?.value
      if (said === 'Yes, confirmed.') return []
      if (said !== 'No, denied.') return [part]
      return [{ ...part, output: { type: 'error-text', value: 'Error: User denied access' } }]
    })
    return content.length > 0 ? [{ ...message, content }] : []
  })
}

/** The id of the run that a history carries. */
export const runOf = (messages: Message[]): string | undefined =>
  messages.map((m) => m.providerOptions?.sekisho?.runId).find((id) => typeof id === 'string')

/** Takes a run's id away: a page that names one could name that of another user. */
export const unmarked = (messages: Message[]): Message[] =>
  messages.map((message) => {
    const { sekisho: _, ...providerOptions } = message.providerOptions ?? {}
    return { ...message, providerOptions }
  })

/** A copy of a history that carries an id of its run, unless a call of it has one already. */
export function marked(messages: Message[]): Message[] {
  const [first, ...rest] = messages
  const begun = requests(messages).length > 0 || dangling(messages).length > 0
  if (!first || begun || runOf(messages)) return [...messages]
  const sekisho = { runId: randomUUID() }
  return [{ ...first, providerOptions: { ...first.providerOptions, sekisho } }, ...rest]
}

/**
 * A run's id for one call, made of what was said before it in a chat, where the history carries
 * none: the same for the same history, also in another process, or as a page sends it back.
 */
export function derived(toolCallId: string, messages: Message[], sessionId = ''): string {
  const ours = (part: Part) => part.toolCallId === toolCallId
  const at = messages.findLastIndex((m) => m.role === 'assistant' && parts(m).some(ours))
  const finished = ofTools(messages.slice(at + 1)).some((p) => ours(p) && p.type === 'tool-result')
  const before = at < 0 || finished ? messages : messages.slice(0, at)
  const said = before
    .filter((m) => m.role === 'user' || m.role === 'assistant')
    .flatMap((m): unknown[] => {
      if (typeof m.content === 'string') return [[m.role, m.content]]
      const told = parts(m).filter((part) => part.type === 'text' || isCall(part))
      return told.map((part) => [m.role, part.text ?? part.toolCallId])
    })
  const text = JSON.stringify([sessionId, toolCallId, said])
  return `ai-${createHash('sha256').update(text).digest('hex')}`
}
