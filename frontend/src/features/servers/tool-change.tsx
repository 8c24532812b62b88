import { useCallback, useState } from 'react'
import type { Desk } from '../../desk/desk'
import { useDesk } from '../../desk/desk-context'
import { DeskError } from '../../desk/desk-error'
import type { TextLook, ToolLook } from '../../desk/types'
import { useDeskData } from '../../desk/use-desk-data'
import { errorText } from '../../i18n/error-text'
import { useI18n } from '../../i18n/i18n'
import { useDiffWords } from '../../i18n/use-diff-words'
import { Button } from '../../ui/button'
import { DiffView } from '../../ui/diff-view/diff-view'
import { Notice } from '../../ui/notice'
import css from './servers-screen.module.css'

const kinds = ['servers.']

/** What changed of one tool, and the word of a person who has seen it. */
export function ToolChange({ server, name }: { server: string; name: string }) {
  const { t } = useI18n()
  const load = useCallback((desk: Desk) => desk.tool(server, name), [server, name])
  const { data: look, error, reload } = useDeskData(load, kinds)
  if (look === null) return error ? <Notice tone="deny">{errorText(t, error)}</Notice> : <p role="status">{t('tool.loading')}</p>
  return (
    <div className={css.change}>
      {look.changed === null && <Notice tone="plain">{t('servers.unchanged')}</Notice>}
      {look.back && <Notice tone="care">{t('tool.back')}</Notice>}
      {look.definition && <Difference of={look.definition} label={t('tool.definition')} />}
      {look.launch && <Difference of={look.launch} label={t('tool.launch')} />}
      {look.changed !== null && <Seen look={look} onStale={reload} />}
    </div>
  )
}

/** The button is for what is shown: of another change the desk says so, and it is shown. */
function Seen({ look, onStale }: { look: ToolLook; onStale: () => Promise<void> }) {
  const { t } = useI18n()
  const desk = useDesk()
  const [error, setError] = useState<DeskError | null>(null)
  const [busy, setBusy] = useState(false)
  const accept = async () => {
    setBusy(true)
    setError(null)
    try {
      await desk.acceptTool(look)
    } catch (thrown) {
      const failed = DeskError.from(thrown)
      if (failed.code === 'stale') await onStale()
      setError(failed)
    }
    setBusy(false)
  }
  return (
    <>
      {error && (
        <Notice tone="deny" role="alert">
          {error.code === 'stale' ? t('servers.changedAgain') : errorText(t, error)}
        </Notice>
      )}
      <p>
        <Button small disabled={busy} aria-label={t('servers.seenOne', { tool: look.toolName })} onClick={() => void accept()}>
          {t('servers.seen')}
        </Button>
      </p>
    </>
  )
}

function Difference({ of, label }: { of: TextLook; label: string }) {
  const { t } = useI18n()
  const words = useDiffWords()
  return (
    <>
      <p>
        {label} <span className={css.tools}>{t('shape.fileLines', { added: of.added, removed: of.removed })}</span>
      </p>
      <DiffView lines={of.lines} label={label} words={words} />
      {of.cut && <Notice tone="care">{t('tool.cut')}</Notice>}
      {of.more > 0 && <Notice tone="care">{t('tool.more', { count: of.more })}</Notice>}
    </>
  )
}
