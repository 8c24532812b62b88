import { useId, useState } from 'react'
import { useDesk } from '../../desk/desk-context'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { Notice } from '../../ui/notice'
import css from './all-changes.module.css'
import { LaunchChanges } from './launch-changes'
import { LongChanges } from './long-changes'
import { NamedChange } from './named-change'
import { useI18n } from './screen'
import { isWhole, useLooks } from './use-looks'
import { isOnScreen, useUnfolded } from './use-unfolded'

interface Props {
  server: string
  names: readonly string[]
  /** How many were accepted. */
  onDone: (accepted: number) => void
  onCancel: () => void
}

/**
 * All that changed of several tools in one place, and one word of a person who has seen it. It is for
 * exactly what is shown, and for none that is not shown whole: not cut off, and nothing folded that
 * the person has not unfolded.
 */
export function AllChanges({ server, names, onDone, onCancel }: Props) {
  const { t } = useI18n()
  const id = useId()
  const desk = useDesk()
  const { looks, again, error: unread, lookAgain } = useLooks(server, names)
  const [stale, setStale] = useState(false)
  const { busy, error: failed, run, fail } = useAction((act: () => Promise<void>) => act())
  const error = unread ?? failed
  const whole = looks?.filter(isWhole) ?? []
  const unfolded = useUnfolded()
  const shown = whole.filter((look) => isOnScreen(look, unfolded))
  const attempt = async (act: () => Promise<void>) => {
    const refused = await run(act)
    if (refused?.code !== 'stale' && refused?.code !== 'not_found') return
    setStale(true)
    fail(null)
  }
  const accept = () =>
    attempt(async () => {
      await desk.acceptTools(server, shown)
      onDone(shown.length)
    })
  const look = () =>
    attempt(async () => {
      await lookAgain()
      setStale(false)
      document.getElementById(id)?.focus() // the button that led here goes
    })
  return (
    <section className={css.panel} aria-labelledby={id}>
      <h2 className={css.title} id={id} tabIndex={-1} ref={focus}>
        {t('servers.allTitle', { count: looks ? whole.length : names.length, server })}
      </h2>
      {stale && <Stale busy={busy} onLook={() => void look()} />}
      <Alert>{error && errorText(t, error)}</Alert>
      {!looks && !error && <p role="status">{t('tool.loading')}</p>}
      {looks?.length === 0 && <Notice tone="plain">{t('servers.unchanged')}</Notice>}
      {whole.length > 0 && (
        <>
          <p>{t('servers.allText')}</p>
          <LaunchChanges looks={whole} unfolded={unfolded} />
          <ol className={css.tools}>
            {whole.map((one) => (
              <NamedChange key={one.toolName} look={one} again={again.includes(one.toolName)} unfolded={unfolded} />
            ))}
          </ol>
        </>
      )}
      <LongChanges names={(looks ?? []).filter((one) => !isWhole(one)).map((one) => one.toolName)} />
      <div className={css.answer}>
        <Button onClick={onCancel}>{t('common.cancel')}</Button>
        {shown.length > 0 && !unread && (
          <Button look="strong" disabled={busy || stale} onClick={() => void accept()}>
            {t('servers.allConfirm', { count: shown.length })}
          </Button>
        )}
      </div>
    </section>
  )
}

/** What was shown stays, and is not to be accepted any more, until the person asks how it is now. */
function Stale({ busy, onLook }: { busy: boolean; onLook: () => void }) {
  const { t } = useI18n()
  return (
    <Notice tone="deny" role="alert">
      {t('servers.allAgain')}{' '}
      <Button small autoFocus disabled={busy} onClick={onLook}>
        {t('servers.lookAgain')}
      </Button>
    </Notice>
  )
}

function focus(title: HTMLElement | null): void {
  title?.focus()
}
