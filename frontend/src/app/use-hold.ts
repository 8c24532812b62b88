import { useState } from 'react'
import type { Desk } from '../desk/desk'
import { useDesk } from '../desk/desk-context'
import { DeskError } from '../desk/desk-error'
import { useDeskData } from '../desk/use-desk-data'

export interface Hold {
  /** Whether nothing is allowed without asking; null while that is not known. */
  on: boolean | null
  /** Where the switch stands: as on, or as it was pressed while the desk has not answered. */
  pressed: boolean | null
  /** Why the last try to change it failed. */
  error: DeskError | null
  set: (on: boolean) => void
}

const kinds = ['settings.']

const load = (desk: Desk) => desk.settings()

/** Holding everything, as the desk has it: what is pressed counts once the desk says so. */
export function useHold(): Hold {
  const desk = useDesk()
  const { data, reload } = useDeskData(load, kinds)
  const [error, setError] = useState<DeskError | null>(null)
  const [wanted, setWanted] = useState<boolean | null>(null)
  const set = async (on: boolean) => {
    if (wanted !== null) return
    setWanted(on)
    try {
      await desk.hold(on)
      setError(null)
    } catch (thrown) {
      setError(DeskError.from(thrown))
    }
    await reload()
    setWanted(null)
  }
  const on = data?.hold ?? null
  return { on, pressed: wanted ?? on, error, set: (on) => void set(on) }
}
