import { useState } from 'react'
import type { ClientChoice, ClientFile, ClientTrial } from '../../desk/types'
import { Check } from '../../ui/check'
import { AppDifference } from './app-difference'
import type { Outcome } from './app-outcome'
import { AppPanel } from './app-panel'
import { AppTrials } from './app-trials'
import { AppVariables } from './app-variables'
import { useI18n } from './screen'
import { useWriting } from './use-writing'

/** Reports whether servers of a file are started to be looked at. */
const startsServers = (entries: ClientFile['entries']) => entries.some(({ hook, off, state }) => state === 'direct' && !hook && !off)

interface Props {
  file: ClientFile
  /** The id of the element that names the file. */
  path: string
  /** What is shown makes the app ask about its own tools too, where that is known. */
  hooks: boolean
  onDone: (outcome: Outcome) => void
  onCancel: () => void
}

/** Shows what connecting would write, does exactly that, and has the desk start the servers before and afterwards. */
export function ConnectApp({ file: opened, path, hooks, onDone, onCancel }: Props) {
  const { t } = useI18n()
  const app = opened.name
  const [choice, setChoice] = useState<ClientChoice>({ hooks, carry: [], limits: false })
  const [stage, setStage] = useState<'trying' | 'writing' | 'proving'>('trying')
  const [broken, setBroken] = useState<ClientTrial[] | null>(null)
  const { file, error, busy, act, choose } = useWriting(opened, choice, async (desk, { entries, id, move }) => {
    const shown = move?.shown ?? ''
    const starts = startsServers(entries)
    if (starts && !broken) {
      setStage('trying')
      const failed = (await desk.tryClient(id, shown, choice)).filter((server) => server.error !== '')
      if (failed.length > 0) {
        setBroken(failed) // a second yes connects them all the same
        return
      }
    }
    setStage('writing')
    const connected = await desk.connectClient(id, shown, choice)
    setStage('proving')
    const proofs = starts ? await desk.proveClient(id).catch(() => null) : []
    onDone({ app, connected, proofs })
  })
  const change = async (part: Partial<ClientChoice>) => {
    const next = { ...choice, ...part }
    setChoice(next)
    if (await choose(next)) setChoice(choice)
    else setBroken(null)
  }
  const moving = file.entries.filter(({ state }) => state === 'direct')
  const limit = moving.find((entry) => entry.limit !== '')?.limit ?? ''
  return (
    <AppPanel
      path={path}
      title={t('apps.connectTitle', { app })}
      error={error}
      confirm={file.move && t(broken ? 'apps.connectBroken' : 'apps.connectConfirm', { app })}
      busy={busy}
      working={busy && t(`apps.stage.${stage}`, { app })}
      onConfirm={() => void act()}
      onCancel={onCancel}
    >
      {file.move && (
        <>
          <p>{t('apps.connectText')}</p>
          {startsServers(moving) && <p>{t('apps.connectStarts', { app })}</p>}
          {app === 'Codex' && opened.entries.some(({ hook }) => hook) && <p>{t('apps.trust')}</p>}
          <AppVariables app={app} entries={moving} carry={choice.carry} disabled={busy} onChange={(carry) => void change({ carry })} />
          {limit !== '' && (
            <Check label={t('apps.limits', { app, field: limit })} checked={choice.limits} disabled={busy} onChange={(limits) => void change({ limits })} />
          )}
          {broken && <AppTrials of={broken} />}
          <AppDifference of={file.move.difference} label={t('apps.now')} />
        </>
      )}
    </AppPanel>
  )
}
