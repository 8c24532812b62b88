import { useState } from 'react'
import type { Call } from '../../desk/types'
import { When } from '../../i18n/when'
import { ActivityRow } from './activity-row'
import css from './activity-screen.module.css'
import type { Fold } from './fold'
import { useI18n } from './screen'

interface Props {
  fold: Fold
  /** A call as the desk has it now. */
  onKnown: (call: Call) => void
}

/** A call, and how often the same was read before it; each time is shown when asked for. */
export function ActivityFold({ fold: { newest, older }, onKnown }: Props) {
  const { t, tx } = useI18n()
  const [open, setOpen] = useState(false)
  const oldest = older.at(-1)
  return (
    <>
      <ActivityRow call={newest} onKnown={onKnown} />
      {oldest && (
        <details
          className={css.details}
          onToggle={(e) => {
            if (e.target === e.currentTarget) setOpen(e.currentTarget.open)
          }}
        >
          <summary>
            {t('activity.readBefore', { count: older.length })} {tx('activity.readSince', { time: <When at={oldest.createdAt} /> })}
          </summary>
          {open && (
            <ul className={css.older}>
              {older.map((call) => (
                <li key={call.id}>
                  <ActivityRow call={call} onKnown={onKnown} />
                </li>
              ))}
            </ul>
          )}
        </details>
      )}
    </>
  )
}
