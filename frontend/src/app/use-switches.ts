import { useRef, useState } from 'react'
import type { Desk } from '../desk/desk'
import { useDesk } from '../desk/desk-context'
import { DeskError } from '../desk/desk-error'
import { useDeskData } from '../desk/use-desk-data'

export interface Switch {
  /** As the desk has it; null while that is not known. */
  on: boolean | null
  /** Where the switch stands: as on, or as it was pressed while the desk has not answered. */
  pressed: boolean | null
  /** Why the last try to change it failed. */
  error: DeskError | null
  set: (on: boolean) => void
}

export interface Switches {
  /** Nothing is allowed without asking. */
  hold: Switch
  /** Do not disturb. */
  quiet: Switch
  /** The desk did not say how they stand. */
  unknown: boolean
}

const kinds = ['settings.']

const load = (desk: Desk) => desk.settings()

/** The switches of the whole desk, as the desk has them: what is pressed counts once the desk says so. */
export function useSwitches(): Switches {
  const desk = useDesk()
  const { data, error, reload } = useDeskData(load, kinds)
  const hold = useSwitch(data?.hold ?? null, (on) => desk.hold(on), reload)
  const quiet = useSwitch(data?.window.quiet ?? null, (on) => desk.changeSettings({ window: { quiet: on } }), reload)
  return { hold, quiet, unknown: data === null && error !== null }
}

/**
 * A switch whose last wish wins. Each wish is sent at once, whatever is under way:
 * holding must not wait for a release that hangs. Of two that were under way together
 * nobody knows which the desk took last, so the last wish is then sent once more.
 */
function useSwitch(on: boolean | null, send: (on: boolean) => Promise<unknown>, reload: () => Promise<void>): Switch {
  const [error, setError] = useState<DeskError | null>(null)
  const [wanted, setWanted] = useState<boolean | null>(null)
  const flight = useRef({ wishes: 0, wish: false, underWay: 0, crossed: false })
  const set = async (next: boolean) => {
    const now = flight.current
    const mine = ++now.wishes
    now.wish = next
    now.crossed ||= now.underWay > 0
    now.underWay++
    setWanted(next)
    try {
      await send(next)
      setError(null)
    } catch (thrown) {
      setError(DeskError.from(thrown))
    }
    now.underWay--
    if (now.underWay > 0) return
    if (now.crossed) {
      now.crossed = false
      await set(now.wish)
      return
    }
    await reload()
    if (mine === now.wishes) setWanted(null)
  }
  return { on, pressed: wanted ?? on, error, set: (next) => void set(next) }
}
