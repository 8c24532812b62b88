import { useId, useRef, useState, type KeyboardEvent } from 'react'
import { errorText } from '../../../i18n/error-text'
import { useI18n } from '../../../i18n/i18n'
import { Alert } from '../../../ui/alert'
import { Button } from '../../../ui/button'
import { Icon } from '../../../ui/icon'
import { LateComponent, useLate } from '../../../ui/late-component'
import { isEscape } from '../answer/keys'
import type { DrawerProps } from './drawer-session'
import css from './queue-drawer.module.css'

/** It comes right after the first screen, before anybody can want it. */
const list = new LateComponent<DrawerProps>(() => import('./drawer-list').then(({ DrawerList }) => DrawerList))

interface Props extends Omit<DrawerProps, 'back'> {
  /** An answer is given: nothing else comes to the front before it is sent. */
  frozen: boolean
}

/** All that waits, behind a button in the head of the dialog: within it, so that the focus stays inside. */
export function QueueDrawer({ frozen, ...props }: Props) {
  const { t } = useI18n()
  const id = useId()
  const [open, setOpen] = useState(false)
  const { component: List, failed, reload } = useLate(list)
  const button = useRef<HTMLButtonElement>(null)
  const onKeyDown = (event: KeyboardEvent) => {
    // Whoever looks through the list is not saying yes to what is behind it.
    if (event.key === 'Enter') event.stopPropagation()
    if (!open || !isEscape(event)) return
    setOpen(false)
    button.current?.focus()
  }
  if (props.state.items.length < 2) return null
  return (
    <>
      <Button
        ref={button}
        small
        aria-expanded={open}
        aria-controls={id}
        disabled={frozen}
        onKeyDown={onKeyDown}
        onClick={() => {
          setOpen(!open)
          if (failed) void reload()
        }}
      >
        <Icon name="list" /> {t('queue.all')}
      </Button>
      {open && (
        <section className={css.panel} id={id} hidden={frozen} aria-label={t('queue.list')} onKeyDown={onKeyDown}>
          {List ? <List {...props} back={button} /> : !failed && <p role="status">{t('common.loading')}</p>}
          <Alert>{failed && errorText(t, { code: 'unreachable', message: '' })}</Alert>
        </section>
      )}
    </>
  )
}
