import { useState } from 'react'
import type { Desk } from '../../desk/desk'
import { useDesk } from '../../desk/desk-context'
import { DeskError } from '../../desk/desk-error'
import type { Info, Settings, SettingsChange } from '../../desk/types'
import { useDeskData } from '../../desk/use-desk-data'

const kinds = ['settings.']

const load = async (desk: Desk) => {
  const [settings, info] = await Promise.all([desk.settings(), desk.info()])
  return { settings, info }
}

export type Change = (change: SettingsChange) => Promise<DeskError | null>

/** The settings, and how to change some: each change is kept at once or refused with its field. */
export function useSettings(): { settings: Settings | null; info: Info | null; error: DeskError | null; kept: boolean; change: Change } {
  const desk = useDesk()
  const { data, error, reload } = useDeskData(load, kinds)
  const [failed, setFailed] = useState<DeskError | null>(null)
  const [kept, setKept] = useState(false)
  const change: Change = async (wanted) => {
    setKept(false)
    try {
      await desk.changeSettings(wanted)
      setFailed(null)
      setKept(true)
      return null
    } catch (thrown) {
      const refused = DeskError.from(thrown)
      if (refused.field === undefined) setFailed(refused)
      return refused
    } finally {
      await reload()
    }
  }
  return { settings: data?.settings ?? null, info: data?.info ?? null, error: failed ?? error, kept, change }
}
