import { useDesk } from '../desk/desk-context'
import type { DeskError } from '../desk/desk-error'
import { useLive } from '../desk/live'
import { useAction } from '../desk/use-action'

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

/** The switches of the whole desk, as the desk has them: what is pressed counts once the desk says so. */
export function useSwitches(): Switches {
  const desk = useDesk()
  const { data, error } = useLive('settings')
  const hold = useSwitch(data?.hold ?? null, (on) => desk.hold(on))
  const quiet = useSwitch(data?.window.quiet ?? null, (on) => desk.changeSettings({ window: { quiet: on } }))
  return { hold, quiet, unknown: data === null && error !== null }
}

function useSwitch(on: boolean | null, send: (on: boolean) => Promise<unknown>): Switch {
  const { asked, error, run } = useAction(send, { renews: ['settings'], lastWins: true })
  return { on, pressed: asked?.[0] ?? on, error, set: (next) => void run(next) }
}
