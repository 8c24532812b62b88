import { useEffect, useState, useSyncExternalStore } from 'react'
import { ArmingClock, type Phase } from './arming'

export interface Arming {
  phase: Phase
  cycle: number
  /** Asks the clock itself: an event must not trust what was last drawn. */
  armedNow: () => boolean
}

/** Arms while `shown` names what is in view (null: nothing yet); another name starts over. */
export function useArming(shown: string | null): Arming {
  const [clock] = useState(() => new ArmingClock())
  useEffect(() => (shown === null ? undefined : clock.watch()), [clock, shown])
  return {
    phase: useSyncExternalStore(clock.subscribe, clock.phase),
    cycle: useSyncExternalStore(clock.subscribe, clock.cycle),
    armedNow: () => clock.phase() === 'armed',
  }
}
