import type { ClientFile } from '../../desk/types'
import { AppDifference } from './app-difference'
import type { Outcome } from './app-outcome'
import { AppPanel } from './app-panel'
import { useI18n } from './screen'
import { useWriting } from './use-writing'

interface Props {
  file: ClientFile
  /** The id of the element that names the file. */
  path: string
  /** What is shown makes the app ask about its own tools too, where that is known. */
  hooks: boolean
  onDone: (outcome: Outcome) => void
  onCancel: () => void
}

/** Shows what connecting would write, and does exactly that. */
export function ConnectApp({ file: opened, path, hooks, onDone, onCancel }: Props) {
  const { t } = useI18n()
  const app = opened.name
  const { file, error, busy, act } = useWriting(opened, hooks, async (desk, { id, move }) => {
    onDone({ app, connected: await desk.connectClient(id, move?.shown ?? '', hooks) })
  })
  return (
    <AppPanel
      path={path}
      title={t('apps.connectTitle', { app })}
      error={error}
      confirm={file.move && t('apps.connectConfirm', { app })}
      busy={busy}
      onConfirm={() => void act()}
      onCancel={onCancel}
    >
      {file.move && (
        <>
          <p>{t('apps.connectText')}</p>
          {app === 'Codex' && opened.entries.some(({ hook }) => hook) && <p>{t('apps.trust')}</p>}
          <AppDifference of={file.move.difference} label={t('apps.now')} />
        </>
      )}
    </AppPanel>
  )
}
