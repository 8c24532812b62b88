import { DeskError } from './desk-error'
import { SseParser, type ServerEvent } from './sse-parser'
import type { HttpTransport } from './transport'
import type { Hint } from './types'

const firstPauseMs = 500
const longestPauseMs = 10_000
/**
 * A stream that lasted so long was a good one: the next pause is short again. One that is cut at once,
 * again and again, is asked for ever less often.
 */
const goodMs = 30_000
/** The desk sends a comment at once and every 15 s; a stream that is silent for longer is dead. */
const silenceMs = 20_000

interface Follower {
  onHint: (hint: Hint) => void
  /** Events come from now on, or come no more. */
  onConnection: (connected: boolean) => void
}

/**
 * Follows the desk's events until stop. Read with fetch, because EventSource
 * cannot send an Authorization header. Reconnects after the last event seen.
 */
export function followEvents(client: HttpTransport, follower: Follower): () => void {
  const stopped = new AbortController()
  void follow(client, follower, stopped.signal)
  return () => {
    stopped.abort()
  }
}

async function follow(client: HttpTransport, { onHint, onConnection }: Follower, stopped: AbortSignal): Promise<void> {
  const place: Place = { lastId: null, began: false, desk: '' }
  let pause = firstPauseMs
  while (!stopped.aborted) {
    let connected = Infinity
    try {
      await connect(client, place, onHint, stopped, () => {
        connected = Date.now()
        onConnection(true)
      })
    } catch (error) {
      if (DeskError.from(error).code === 'unauthorized') return
    } finally {
      if (!stopped.aborted) onConnection(false)
    }
    if (Date.now() - connected >= goodMs) pause = firstPauseMs
    await sleep(pause * (0.8 + Math.random() * 0.4), stopped)
    pause = Math.min(pause * 2, longestPauseMs)
  }
}

interface Place {
  lastId: string | null
  /** There was a stream before this one. */
  began: boolean
  /** Which desk told the last event; another one may have been put back, and what it told since is not known. */
  desk: string
}

async function connect(
  client: HttpTransport,
  place: Place,
  onHint: (hint: Hint) => void,
  stopped: AbortSignal,
  connected: () => void,
): Promise<void> {
  const dead = new AbortController()
  const giveUp = () => {
    dead.abort()
  }
  stopped.addEventListener('abort', giveUp)
  let watchdog = setTimeout(giveUp, silenceMs)
  try {
    const headers = { Accept: 'text/event-stream', ...(place.lastId === null ? {} : { 'Last-Event-ID': place.lastId }) }
    const response = await client.send('/v1/events', { headers, signal: dead.signal })
    if (!response.ok)
      throw new DeskError({ code: response.status === 401 ? 'unauthorized' : 'http_' + String(response.status), message: 'no events' })
    // Events since the last one are told again. Where none was, those of the time between are lost.
    onHint({ kind: place.began && place.lastId === null ? 'reset' : 'connected' })
    place.began = true
    const reader = response.body?.getReader()
    const parser = new SseParser()
    const decoder = new TextDecoder()
    let heard = false
    for (;;) {
      const chunk = await reader?.read()
      if (!chunk || chunk.done) return
      if (!heard) connected() // and not at the headers: what is between may keep the events back
      heard = true
      clearTimeout(watchdog)
      watchdog = setTimeout(giveUp, silenceMs)
      for (const event of parser.feed(decoder.decode(chunk.value, { stream: true }))) {
        place.lastId = event.event === 'reset' ? null : (event.id ?? place.lastId)
        const desk = member(event, 'desk') ?? place.desk
        if (place.desk !== '' && desk !== place.desk) onHint({ kind: 'reset' })
        place.desk = desk
        onHint(hintOf(event))
      }
    }
  } finally {
    clearTimeout(watchdog)
    stopped.removeEventListener('abort', giveUp)
    dead.abort()
  }
}

function hintOf(event: ServerEvent): Hint {
  const callId = member(event, 'callId')
  return callId === undefined ? { kind: event.event } : { kind: event.event, callId }
}

/** A text in the data of an event, which is a flat JSON object of the desk's own. */
function member({ data }: ServerEvent, name: string): string | undefined {
  return new RegExp(`"${name}":"([^"\\\\]+)"`).exec(data)?.[1]
}

function sleep(ms: number, stopped: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stopped.aborted) {
      resolve()
      return
    }
    const timer = setTimeout(resolve, ms)
    stopped.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
