import { useId, useState } from 'react'
import { useDesk } from '../../desk/desk-context'
import { DeskError } from '../../desk/desk-error'
import type { ToolLook } from '../../desk/types'
import { errorText } from '../../i18n/error-text'
import { useI18n } from '../../i18n/i18n'
import { Button } from '../../ui/button'
import { Notice } from '../../ui/notice'
import css from './all-changes.module.css'
import { LaunchChanges } from './launch-changes'
import { NamedChange } from './named-change'
import { useLooks } from './use-looks'

interface Props {
  server: string
  names: readonly string[]
  /** How many were accepted. */
  onDone: (accepted: number) => void
  onCancel: () => void
}

/** All that changed of several tools in one place, and one word of a person who has seen it. It is for exactly what is shown. */
export function AllChanges({ server, names, onDone, onCancel }: Props) {
  const { t } = useI18n()
  const id = useId()
  const desk = useDesk()
  const { looks, again, error: unread, lookAgain } = useLooks(server, names)
  const [failed, setFailed] = useState<DeskError | null>(null)
  const [busy, setBusy] = useState(false)
  const error = unread ?? failed
  const accept = async (shown: readonly ToolLook[]) => {
    setBusy(true)
    setFailed(null)
    try {
      await desk.acceptTools(server, shown)
      onDone(shown.length)
      return
    } catch (thrown) {
      const wrong = DeskError.from(thrown)
      const gone = wrong.code === 'stale' || wrong.code === 'not_found'
      setFailed(gone ? await lookAgain().then(() => wrong, DeskError.from) : wrong)
    }
    setBusy(false)
  }
  return (
    <section className={css.panel} aria-labelledby={id}>
      <h2 className={css.title} id={id} tabIndex={-1} ref={focus}>
        {t('servers.allTitle', { count: looks?.length ?? names.length, server })}
      </h2>
      {error && (
        <Notice tone="deny" role="alert">
          {error.code === 'stale' || error.code === 'not_found' ? t('servers.allAgain') : errorText(t, error)}
        </Notice>
      )}
      {!looks && !error && <p role="status">{t('tool.loading')}</p>}
      {looks?.length === 0 && <Notice tone="plain">{t('servers.unchanged')}</Notice>}
      {looks && looks.length > 0 && (
        <>
          <p>{t('servers.allText')}</p>
          <LaunchChanges looks={looks} />
          <ol className={css.tools}>
            {looks.map((look) => (
              <NamedChange key={look.toolName} look={look} again={again.includes(look.toolName)} />
            ))}
          </ol>
        </>
      )}
      <div className={css.answer}>
        <Button onClick={onCancel}>{t('common.cancel')}</Button>
        {looks && looks.length > 0 && !unread && (
          <Button look="strong" disabled={busy} onClick={() => void accept(looks)}>
            {t('servers.allConfirm', { count: looks.length })}
          </Button>
        )}
      </div>
    </section>
  )
}

function focus(heading: HTMLElement | null): void {
  heading?.focus()
}
