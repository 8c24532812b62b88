import { useId, type ReactNode } from 'react'
import type { DeskError } from '../../desk/desk-error'
import { errorText } from '../../i18n/error-text'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import css from './apps.module.css'
import { useI18n } from './screen'

interface Props {
  /** The id of the element that names the file, where the panel is about one: an app has several. */
  path: string | undefined
  title: string
  error: DeskError | null
  /** What the button says that writes; null when there is nothing to write. */
  confirm: string | null
  /** The button loses something. */
  danger?: boolean
  busy: boolean
  /** What is under way, in words; false while nothing is that takes long. */
  working?: string | false
  onConfirm: () => void
  onCancel: () => void
  children: ReactNode
}

/** What would be written, and the yes to it. */
export function AppPanel({ path, title, error, confirm, danger = false, busy, working = false, onConfirm, onCancel, children }: Props) {
  const { t } = useI18n()
  const id = useId()
  const told = (wrong: DeskError) => (wrong.code === 'stale' ? t(confirm === null ? 'apps.over' : 'apps.stale') : errorText(t, wrong))
  return (
    <section
      className={css.panel}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented) onCancel()
      }}
      aria-labelledby={path === undefined ? id : `${id} ${path}`}
    >
      <h3 className={css.heading} id={id} tabIndex={-1} ref={focus}>
        {title}
      </h3>
      <Alert>{error && told(error)}</Alert>
      {children}
      <p role="status">{working}</p>
      <div className={css.answer}>
        <Button onClick={onCancel}>{t(confirm === null ? 'common.close' : 'common.cancel')}</Button>
        {confirm !== null && (
          <Button look={danger ? 'danger' : 'strong'} disabled={busy} onClick={onConfirm}>
            {confirm}
          </Button>
        )}
      </div>
    </section>
  )
}

/** In a small window the panel begins at the top: what would be written is to be seen. */
function focus(heading: HTMLElement | null): void {
  heading?.focus()
  heading?.scrollIntoView({ block: 'start' })
}
