import { useState } from 'react'
import type { ClientChoice, ClientFile, ClientTrial } from '../../desk/types'
import { AgentText } from '../../ui/agent-text'
import { Check } from '../../ui/check'
import { Notice } from '../../ui/notice'
import { AppDifference } from './app-difference'
import type { Outcome } from './app-outcome'
import { AppPanel } from './app-panel'
import { AppTrials } from './app-trials'
import { AppVariables } from './app-variables'
import css from './apps.module.css'
import { connectFiles, startsServers, tryFiles, type Stage } from './connect-files'
import { useI18n } from './screen'
import { useWriting } from './use-writing'

interface Props {
  app: string
  /** Files of the app that can be written. */
  files: readonly ClientFile[]
  /** The id of the element that names the one file; without it the panel names them. */
  path?: string
  /** What is shown makes the app ask about its own tools too, where that is known. */
  hooks: boolean
  /** Files of the app that cannot be used, and so are left out. */
  leftOut?: readonly ClientFile[]
  onDone: (outcome: Outcome) => void
  onCancel: () => void
}

/** Shows what connecting would write, does exactly that, and has the desk start the servers before and afterwards. */
export function ConnectApp({ app, files: opened, path, hooks, leftOut = [], onDone, onCancel }: Props) {
  const { t, tx } = useI18n()
  const [choice, setChoice] = useState<ClientChoice>({ hooks, carry: [], limits: false })
  const [stage, setStage] = useState<Stage>('trying')
  const [broken, setBroken] = useState<ClientTrial[] | null>(null)
  const { files, error, busy, act, choose } = useWriting(opened, choice, async (desk, shown) => {
    const wanted = shown.filter(({ move }) => move !== null)
    setStage('trying')
    const failed = broken ? [] : await tryFiles(desk, wanted, choice)
    if (failed.length > 0) setBroken(failed) // a second yes connects them all the same
    else onDone({ app, ...(await connectFiles(desk, wanted, choice, setStage)) })
  })
  const change = async (part: Partial<ClientChoice>) => {
    const next = { ...choice, ...part }
    setChoice(next)
    if (await choose(next)) setChoice(choice)
    else setBroken(null)
  }
  const written = files.filter(({ move }) => move !== null)
  const moving = written.flatMap(({ entries }) => entries).filter(({ state }) => state === 'direct')
  const limit = moving.find((entry) => entry.limit !== '')?.limit ?? ''
  return (
    <AppPanel
      path={path}
      title={t('apps.connectTitle', { app })}
      error={error}
      confirm={written.length > 0 ? t(broken ? 'apps.connectBroken' : 'apps.connectConfirm', { app }) : null}
      busy={busy}
      working={busy && t(`apps.stage.${stage}`, { app })}
      onConfirm={() => void act()}
      onCancel={onCancel}
    >
      {written.length > 0 && (
        <>
          <p>{t('apps.connectText')}</p>
          {leftOut.map((file) => (
            <Notice key={file.id} tone="care">
              {tx('apps.leftOut', { path: <AgentText as="path">{file.path}</AgentText>, reason: <AgentText as="prose">{file.error}</AgentText> })}
            </Notice>
          ))}
          {startsServers(moving) && <p>{t('apps.connectStarts', { app })}</p>}
          {app === 'Codex' && opened.some(({ entries }) => entries.some(({ hook }) => hook)) && <p>{t('apps.trust')}</p>}
          <AppVariables app={app} entries={moving} carry={choice.carry} disabled={busy} onChange={(carry) => void change({ carry })} />
          {limit !== '' && (
            <Check label={t('apps.limits', { app, field: limit })} checked={choice.limits} disabled={busy} onChange={(limits) => void change({ limits })} />
          )}
          {broken && <AppTrials of={broken} />}
          {written.map((file) => file.move && (
            <div key={file.id} className={css.file}>
              {path === undefined && <AgentText as="path">{file.path}</AgentText>}
              <AppDifference of={file.move.difference} label={t('apps.now')} />
            </div>
          ))}
        </>
      )}
    </AppPanel>
  )
}
