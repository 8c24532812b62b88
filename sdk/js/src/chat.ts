// The stream of a chat's route: it stays open while the desk decides, and then goes on.

import { answer, type AnswerOptions } from './ai.js'
import { requests, unmarked, withoutAnswers, type Message, type Part } from './history.js'
import type { Desk } from './index.js'

/**
 * Makes the stream of UI message chunks for createUIMessageStreamResponse, of the results of
 * streamText that `next` gives. A request for approval shows on the page while the desk decides.
 * What the page itself answers to one is no approval: it is ignored and logged.
 */
export function chat(
  desk: Desk,
  messages: Message[],
  next: (messages: any[]) => any,
  o: AnswerOptions = {},
): ReadableStream<any> {
  const { messages: kept, ignored } = withoutAnswers(unmarked(messages))
  if (ignored > 0) console.warn(`sekisho: ignored ${ignored} answers of a page`)
  const again = ignored > 0 ? requests(kept) : []
  const made = chunks(desk, [...kept], again, next, o)
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await made.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await made.return(undefined)
    },
  })
}

async function* chunks(
  desk: Desk,
  history: Message[],
  again: Part[],
  next: (messages: any[]) => any,
  o: AnswerOptions,
): AsyncGenerator<any, void> {
  let started = again.length > 0
  let speaks = false // of answers: version 7 has a chunk for them
  if (started) yield { type: 'start' }
  // What the page has answered waits all the same.
  for (const { type, approvalId, toolCallId } of again) yield { type, approvalId, toolCallId }
  for (;;) {
    const answered = await answer(desk, history, o)
    if (answered) history.push(answered)
    if (answered && speaks) yield* answered.content
    const result = await next(history)
    yield* result.toUIMessageStream({ sendStart: !started, sendFinish: false })
    speaks = result.responseMessages !== undefined
    started = true
    history.push(...((await result.responseMessages) ?? (await result.response).messages))
    if (requests(history).length === 0) break
  }
  yield { type: 'finish' }
}
