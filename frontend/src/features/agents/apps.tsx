import { useState } from 'react'
import { useDesk } from '../../desk/desk-context'
import { renew } from '../../desk/follow'
import type { ClientFile } from '../../desk/types'
import { useAnswer, useLoaded } from '../../desk/queries'
import { errorText } from '../../i18n/error-text'
import { AgentText } from '../../ui/agent-text'
import { Check } from '../../ui/check'
import { Notice } from '../../ui/notice'
import { AppFound } from './app-found'
import { AppLeftovers } from './app-leftovers'
import { AppOutcome, type Outcome } from './app-outcome'
import { AppRow } from './app-row'
import css from './apps.module.css'
import { useI18n } from './screen'

/** The apps on the desk's machine whose tool servers can be moved behind the desk, and back. */
export function Apps() {
  const { t, tx } = useI18n()
  const desk = useDesk()
  const [hooks, setHooks] = useState(true)
  const { data, error } = useAnswer(0, 'apps', [hooks])
  const info = useLoaded('info').data
  const [outcome, setOutcome] = useState<{ of: Outcome; nth: number } | null>(null)
  const done = (of: Outcome) => {
    setOutcome((old) => ({ of, nth: (old?.nth ?? 0) + 1 }))
    void renew(desk, ['apps'])
  }
  if (!data || !info) return error && <Failed>{errorText(t, error)}</Failed>
  const asking = data.files.filter(({ entries }) => entries.some(({ hook, state }) => hook && state === 'behind'))
  const machine = <AgentText>{data.machine}</AgentText>
  return (
    <section className={css.apps} aria-labelledby="apps-title">
      <header>
        <h2 className={css.title} id="apps-title">
          {info.face === 'window' ? t('apps.title') : tx('apps.titleOn', { machine })}
        </h2>
        <p className={css.lead}>{tx('apps.lead', { machine })}</p>
      </header>
      {error && <Failed>{errorText(t, error)}</Failed>}
      {data.program === '' && <Notice tone="care">{t('apps.noProgram')}</Notice>}
      <Check label={t('apps.hooks')} checked={hooks} onChange={setHooks} />
      {outcome && <AppOutcome key={outcome.nth} of={outcome.of} />}
      {data.leftovers.length > 0 && <AppLeftovers servers={data.leftovers} onDone={done} />}
      <ul className={css.list}>
        {data.apps.filter(({ found }) => found).map((app) => (
          <AppFound key={app.client} app={app} />
        ))}
      </ul>
      {data.files.length === 0 && <p>{t('apps.none')}</p>}
      <ul className={css.list}>
        {data.files.map((file) => (
          <AppRow key={file.id} file={file} hooks={hooks} checks={asking.find(({ name }) => name === file.name) === file} after={before(file, data.files)} onDone={done} />
        ))}
      </ul>
    </section>
  )
}

/** Of several files with an app's hooks the later ones let tools pass: they are written once the first asks the desk. */
function before(file: ClientFile, all: readonly ClientFile[]): ClientFile | undefined {
  const hooked = ({ entries }: ClientFile) => entries.some(({ hook, state }) => hook && state === 'direct')
  const first = all.find((other) => other.name === file.name && hooked(other))
  return first !== file && hooked(file) ? first : undefined
}

function Failed({ children }: { children: string }) {
  return (
    <Notice tone="deny" role="alert">
      {children}
    </Notice>
  )
}
