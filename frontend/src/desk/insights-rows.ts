/** The rows of insights. They are loaded with their screen, apart from the first load. */
import { object, text, whole } from './read'
import type { Client } from './client'
import type { ArmingTimes, Bucket, Insights, InsightsQuery, Stretch } from './types'

export interface InsightsDesk {
  count(query: InsightsQuery): Promise<Insights>
  /** Says that a person is looking; gives the last time that nobody was, null for none. */
  present(): Promise<Stretch | null>
  /** Until when the person takes a break; null: takes none. */
  paused(): Promise<string | null>
  /** Nothing asks for attention for so many minutes; nothing is decided by it. */
  pause(minutes: number): Promise<void>
  endPause(): Promise<void>
  /** How long a call must be in view now before the desk takes an approval from here. */
  arming(): Promise<ArmingTimes>
}

export function insightsOf(rows: Client): InsightsDesk {
  return {
    count: async (query) => readInsights(await rows.json('GET', `/v1/insights?${new URLSearchParams({ ...query }).toString()}`)),
    present: async () => readAway(await rows.json('POST', '/v1/presence')),
    paused: async () => readUntil(await rows.json('GET', '/v1/pause')),
    pause: async (minutes) => {
      await rows.json('POST', '/v1/pause', { minutes })
    },
    endPause: async () => {
      await rows.json('DELETE', '/v1/pause')
    },
    arming: async () => {
      const { ms, highMs, until } = object(await rows.json('GET', '/v1/arming'))
      return { ms: whole(ms), highMs: whole(highMs), until: text(until) || null }
    },
  }
}

const counts = [
  'calls', 'questions', 'allowed', 'granted', 'denied', 'repeated', 'approved', 'declined', 'expired', 'cancelled', 'settled', 'unread',
] as const

function readInsights(value: unknown): Insights {
  const { since, inDoubt, total, buckets, rules, fatigue } = object(value)
  return {
    since: text(since) || null,
    inDoubt: whole(inDoubt),
    total: readBucket(total),
    buckets: listOf(buckets).map(readBucket),
    rules: listOf(rules).map((rule) => ({ ruleId: text(object(rule).ruleId), calls: whole(object(rule).calls) })),
    fatigue: listOf(fatigue).map((sign) => text(sign)),
  }
}

/** The member `away` of an answer. */
function readAway(value: unknown): Stretch | null {
  const { away } = object(value)
  return away === null ? null : { from: text(object(away).from), to: text(object(away).to) }
}

function readUntil(value: unknown): string | null {
  return text(object(value).until) || null
}

function readBucket(value: unknown): Bucket {
  const got = object(value, 'bucket')
  const numbers = Object.fromEntries(counts.map((name) => [name, whole(got[name], name)])) as Record<(typeof counts)[number], number>
  return { ...numbers, from: text(got.from), to: text(got.to), medianMs: got.medianMs === null ? null : whole(got.medianMs, 'medianMs') }
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
