/** The rows of insights. They are loaded with their screen, apart from the first load. */
import type { Client } from './client'
import { read } from './read'
import type { ArmingTimes, Away, Insights, InsightsQuery, Pause } from './types'

export interface InsightsDesk {
  count(query: InsightsQuery): Promise<Insights>
  /** Says that a person is looking; gives the last time that nobody was. */
  present(): Promise<Away>
  /** Until when the person takes a break. */
  paused(): Promise<Pause>
  /** Nothing asks for attention for so many minutes; nothing is decided by it. */
  pause(minutes: number): Promise<void>
  endPause(): Promise<void>
  /** How long a call must be in view now before the desk takes an approval from here. */
  arming(): Promise<ArmingTimes>
}

export function insightsOf(rows: Client): InsightsDesk {
  return {
    count: async (query) => read('Report', await rows.json('GET', `/v1/insights?${new URLSearchParams({ ...query }).toString()}`)),
    present: async () => read('LookOutBody', await rows.json('POST', '/v1/presence')),
    paused: async () => read('PauseOutBody', await rows.json('GET', '/v1/pause')),
    pause: async (minutes) => {
      await rows.json('POST', '/v1/pause', { minutes })
    },
    endPause: async () => {
      await rows.json('DELETE', '/v1/pause')
    },
    arming: async () => read('ArmingOutBody', await rows.json('GET', '/v1/arming')),
  }
}
