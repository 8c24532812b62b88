import { useState } from 'react'
import type { Desk } from '../../desk/desk'
import type { ClientFiles } from '../../desk/types'
import { useDeskData } from '../../desk/use-desk-data'
import { errorText } from '../../i18n/error-text'
import { AgentText } from '../../ui/agent-text'
import { Notice } from '../../ui/notice'
import { AppLeftovers } from './app-leftovers'
import { AppOutcome, type Outcome } from './app-outcome'
import { AppRow } from './app-row'
import css from './apps.module.css'
import { useI18n } from './screen'

const kinds = ['servers.', 'agents.', 'clock'] // the apps write their files themselves

async function load(desk: Desk): Promise<ClientFiles & { here: boolean }> {
  const [files, info] = await Promise.all([desk.clients(), desk.info()])
  return { ...files, here: info.face === 'window' }
}

/** The apps on the desk's machine whose tool servers can be moved behind the desk, and back. */
export function Apps() {
  const { t, tx } = useI18n()
  const { data, error, reload } = useDeskData(load, kinds)
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const done = async (made: Outcome) => {
    setOutcome(made)
    await reload()
  }
  if (!data) return error && <Failed>{errorText(t, error)}</Failed>
  const machine = <AgentText>{data.machine}</AgentText>
  return (
    <section className={css.apps} aria-labelledby="apps-title">
      <header>
        <h2 className={css.title} id="apps-title">
          {data.here ? t('apps.title') : tx('apps.titleOn', { machine })}
        </h2>
        <p className={css.lead}>{tx('apps.lead', { machine })}</p>
      </header>
      {error && <Failed>{errorText(t, error)}</Failed>}
      {data.program === '' && <Notice tone="care">{t('apps.noProgram')}</Notice>}
      {outcome && <AppOutcome of={outcome} />}
      {data.leftovers.length > 0 && <AppLeftovers servers={data.leftovers} onDone={done} reload={reload} />}
      {data.files.length === 0 && <p>{t('apps.none')}</p>}
      <ul className={css.list}>
        {data.files.map((file) => (
          <AppRow key={file.id} file={file} onDone={done} />
        ))}
      </ul>
    </section>
  )
}

function Failed({ children }: { children: string }) {
  return (
    <Notice tone="deny" role="alert">
      {children}
    </Notice>
  )
}
