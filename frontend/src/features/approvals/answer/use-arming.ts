import { useEffect, useState, useSyncExternalStore } from 'react'
import { useDesk } from '../../../desk/desk-context'
import type { PendingCall } from '../../../desk/types'
import { ArmingClock, armingMs, type Phase } from './arming'
import { attentionLine } from './attention-line'

export interface Arming {
  phase: Phase
  cycle: number
  /** Asks the clock itself: an event must not trust what was last drawn. */
  takes: () => boolean
}

/**
 * Arms while a call is in view. content names what of it is (null: nothing yet);
 * what is shown of it since another rev, another risk or another content starts over.
 */
export function useArming({ id, shownRev, risk }: PendingCall, content: string | null): Arming {
  const desk = useDesk()
  const [clock] = useState(() => new ArmingClock(attentionLine(desk)))
  useEffect(
    () => {
      if (content === null) return
      const leave = clock.watch({ callId: id, rev: shownRev, needMs: armingMs[risk] })
      // A desk that does not say it refuses what comes too early all the same.
      void desk.insights().then((rows) => rows.arming()).then(({ ms, highMs }) => {
        clock.lengthen(id, risk === 'high' ? highMs : ms)
      }, () => undefined)
      return leave
    },
    [desk, clock, id, shownRev, risk, content],
  )
  return {
    phase: useSyncExternalStore(clock.subscribe, clock.phase),
    cycle: useSyncExternalStore(clock.subscribe, clock.cycle),
    takes: clock.takes,
  }
}
