import { useState } from 'react'
import type { Call } from '../../desk/types'
import { When } from '../../i18n/when'
import { Button } from '../../ui/button'
import css from './activity-screen.module.css'
import { CallOutcome } from './call-outcome'
import { RowInput } from './row-input'
import { useI18n } from './screen'

/** Each of the readings that are folded into one row, with its own time; its input when it is asked for. */
export function OlderReadings({ calls }: { calls: readonly Call[] }) {
  if (calls.length === 0) return null
  return (
    <ul className={css.older}>
      {calls.map((call) => (
        <li key={call.id}>
          <OlderReading call={call} />
        </li>
      ))}
    </ul>
  )
}

function OlderReading({ call }: { call: Call }) {
  const { t } = useI18n()
  const [open, setOpen] = useState(false)
  return (
    <>
      <div className={css.olderLine}>
        <When at={call.createdAt} />
        <CallOutcome call={call} />
        <Button
          small
          aria-expanded={open}
          onClick={() => {
            setOpen(!open)
          }}
        >
          {t('activity.showInput')}
        </Button>
      </div>
      {open && <RowInput call={call} />}
    </>
  )
}
