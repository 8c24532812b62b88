import { useState } from 'react'
import { useDesk } from '../../desk/desk-context'
import { useLoaded } from '../../desk/queries'
import type { ToolLook } from '../../desk/types'
import { useAction } from '../../desk/use-action'
import { errorText } from '../../i18n/error-text'
import { useDifference } from '../../i18n/use-difference'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { Difference } from '../../ui/diff-view/difference'
import { Notice } from '../../ui/notice'
import { BlockTool } from './block-tool'
import { useI18n } from './screen'
import css from './servers-screen.module.css'
import { nameOf } from './use-looks'

/**
 * What changed of one tool, and the word of a person who has seen it. It stays as it was first shown:
 * of another change it says that there is one.
 */
export function ToolChange({ server, name }: { server: string; name: string }) {
  const { t } = useI18n()
  const said = useDifference()
  const { data: newest, error } = useLoaded('tool', [server, name])
  const [first, setFirst] = useState<ToolLook | null>(null)
  if (newest !== null && (first === null || (newest.changed === '' && first !== newest))) setFirst(newest)
  if (first === null || newest === null)
    return error ? <Notice tone="deny">{errorText(t, error)}</Notice> : <p role="status">{t('tool.loading')}</p>
  const again = nameOf(first) !== nameOf(newest)
  return (
    <div className={css.change}>
      {first.changed === '' && <Notice tone="plain">{t('servers.unchanged')}</Notice>}
      {first.back && <Notice tone="care">{t('tool.back')}</Notice>}
      {first.definition && <Difference label={t('tool.definition')} lines={first.definition.lines} {...said(first.definition)} />}
      {first.launch && <Difference label={t('tool.launch')} lines={first.launch.lines} {...said(first.launch)} />}
      {again && (
        <ChangedAgain
          onLook={() => {
            setFirst(newest)
          }}
        />
      )}
      {!again && first.changed !== '' && <Seen look={first} />}
    </div>
  )
}

/** In the place of the button: nobody accepts what came to stand under it. */
function ChangedAgain({ onLook }: { onLook: () => void }) {
  const { t } = useI18n()
  return (
    <Notice tone="deny" role="alert">
      {t('servers.changedAgain')}{' '}
      <Button small onClick={onLook}>
        {t('servers.lookAgain')}
      </Button>
    </Notice>
  )
}

/** The button is for what is shown: of another change the desk says so. */
function Seen({ look }: { look: ToolLook }) {
  const { t } = useI18n()
  const desk = useDesk()
  const { busy, error, run } = useAction(() => desk.acceptTool(look), { renews: ['tool'] })
  return (
    <>
      <Alert>{error && (error.code === 'stale' ? t('servers.changedAgain') : errorText(t, error))}</Alert>
      <p>
        <Button small disabled={busy} aria-label={t('servers.seenOne', { tool: look.toolName })} onClick={() => void run()}>
          {t('servers.seen')}
        </Button>{' '}
        <BlockTool server={look.serverId} tool={look.toolName} />
      </p>
    </>
  )
}
