import type { ClientBack, ClientFile } from '../../desk/types'
import { AgentText } from '../../ui/agent-text'
import { Notice } from '../../ui/notice'
import { AppDifference } from './app-difference'
import { AppObstacle } from './app-obstacle'
import type { Outcome } from './app-outcome'
import { AppPanel } from './app-panel'
import css from './apps.module.css'
import { useI18n } from './screen'
import { useWriting } from './use-writing'

interface Props {
  file: ClientFile
  /** The id of the element that names the file. */
  path: string
  onDone: (outcome: Outcome) => void
  onCancel: () => void
}

/** Shows how a file would be put back, and does exactly that. */
export function DisconnectApp({ file: opened, path, onDone, onCancel }: Props) {
  const { t } = useI18n()
  const app = opened.name
  const { files, error, busy, act } = useWriting([opened], { hooks: true, carry: [], limits: false }, async (desk, [{ id, back } = opened]) => {
    onDone({ app, disconnected: await desk.disconnectClient(id, back?.shown ?? '', back?.forced === true) })
  })
  const [{ back } = opened] = files
  const confirm = back && back.error === '' ? t(back.forced ? 'apps.forceConfirm' : 'apps.disconnectConfirm', { app }) : null
  return (
    <AppPanel
      path={path}
      title={t('apps.disconnectTitle', { app })}
      error={error}
      confirm={confirm}
      danger={back?.forced === true}
      busy={busy}
      onConfirm={() => void act()}
      onCancel={onCancel}
    >
      {back && <Way back={back} />}
    </AppPanel>
  )
}

/** Both sides of a file that was changed since, and what would be written. */
function Way({ back }: { back: ClientBack }) {
  const { t, tx } = useI18n()
  if (back.error !== '')
    return <Notice tone="deny">{tx('apps.stuck', { reason: <AppObstacle of={{ why: back.why, reason: back.error }} /> })}</Notice>
  return (
    <>
      {back.exact ? (
        <p>{t('apps.exact')}</p>
      ) : (
        <Notice tone="care">{t(back.gone ? 'apps.gone' : back.forced ? 'apps.forced' : 'apps.merged')}</Notice>
      )}
      {!back.exact && back.entries.length > 0 && <Entries of={back.entries} />}
      {back.theirs.lines.length > 0 && <AppDifference of={back.theirs} label={t('apps.theirs')} />}
      {back.others > 0 && <p>{t('apps.others', { count: back.others })}</p>}
      <AppDifference of={back.difference} label={t('apps.now')} />
      {back.copies.map((path) => (
        <p key={path}>{tx('apps.copy', { path: <AgentText as="path">{path}</AgentText> })}</p>
      ))}
    </>
  )
}

function Entries({ of }: { of: ClientBack['entries'] }) {
  const { t } = useI18n()
  return (
    <ul className={css.entries}>
      {of.map(({ key, outcome, ...said }, i) => (
        <li key={`${String(i)} ${key}`}>
          <AgentText>{key}</AgentText>:{' '}
          {outcome === 'conflict' ? <AppObstacle of={said} /> : t(outcome === 'back' ? 'apps.entryBack' : 'apps.entryGone')}
        </li>
      ))}
    </ul>
  )
}
