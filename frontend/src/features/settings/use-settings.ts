import { useState } from 'react'
import { useDesk } from '../../desk/desk-context'
import type { DeskError } from '../../desk/desk-error'
import { useLoaded } from '../../desk/queries'
import type { Info, Settings, SettingsChange } from '../../desk/types'
import { useAction } from '../../desk/use-action'

export type Change = (change: SettingsChange) => Promise<DeskError | null>

/** The settings, and how to change some: each change is kept at once or refused with its field. */
export function useSettings(): { settings: Settings | null; info: Info | null; error: DeskError | null; kept: boolean; change: Change } {
  const desk = useDesk()
  const { data: settings, error } = useLoaded('settings')
  const { data: info } = useLoaded('info')
  const [kept, setKept] = useState(false)
  const { error: refused, run } = useAction(
    async (wanted: SettingsChange) => {
      setKept(false)
      await desk.changeSettings(wanted)
      setKept(true)
    },
    { renews: ['settings'] },
  )
  return { settings: info && settings, info, error: refused?.field === undefined ? (refused ?? error) : error, kept, change: run }
}
