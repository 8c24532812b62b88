import { useId, useState, type ReactNode } from 'react'
import { Button } from './button'
import { Modal } from './modal'
import css from './confirm-dialog.module.css'

interface Props {
  title: ReactNode
  children: ReactNode
  confirm: string
  cancel: string
  /** What went wrong at the last try, in words. */
  error?: string | undefined
  onConfirm: () => Promise<unknown>
  onCancel: () => void
}

/** Asks before something is lost. The first focus is on Cancel. */
export function ConfirmDialog({ title, children, confirm, cancel, error, onConfirm, onCancel }: Props) {
  const id = useId()
  const [busy, setBusy] = useState(false)
  const act = async () => {
    setBusy(true)
    try {
      await onConfirm()
    } finally {
      setBusy(false)
    }
  }
  return (
    <Modal role="alertdialog" aria-labelledby={`${id}-title`} aria-describedby={`${id}-text`} onDismiss={onCancel}>
      <div className={css.body}>
        <h2 className={css.title} id={`${id}-title`}>
          {title}
        </h2>
        <div className={css.text} id={`${id}-text`}>
          {children}
        </div>
        {error && (
          <p className={css.error} role="alert">
            {error}
          </p>
        )}
        <div className={css.actions}>
          <Button data-first-focus onClick={onCancel}>
            {cancel}
          </Button>
          <Button look="danger" disabled={busy} onClick={() => void act()}>
            {confirm}
          </Button>
        </div>
      </div>
    </Modal>
  )
}
