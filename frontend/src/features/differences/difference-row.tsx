import type { Difference, Version } from '../../desk/types'
import { AgentText } from '../../ui/agent-text'
import { Button } from '../../ui/button'
import css from './differences.module.css'
import { useI18n } from './part'

interface Props {
  difference: Difference
  busy: boolean
  onTake: (version: Version) => void
}

const titles = {
  rules: 'differences.rules',
  grants: 'differences.grants',
  settings: 'differences.settings',
  servers: 'differences.servers',
  agents: 'differences.agents',
  tools: 'differences.tools',
  journal: 'differences.journal',
} as const

/** One row in its two versions: what differs, column by column, and the choice. */
export function DifferenceRow({ difference, busy, onTake }: Props) {
  const { t, tx } = useI18n()
  const { set, key, journal, table } = difference
  return (
    <li className={css.row}>
      <p className={css.what}>
        {tx(set === 'journal' && key === 'name' ? 'differences.journalName' : titles[set], { name: <AgentText>{key}</AgentText> })}
      </p>
      {set !== 'journal' && (
        <table className={css.versions}>
          <thead>
            <tr>
              <th scope="col">{t('differences.column')}</th>
              <th scope="col">{t('differences.journalSays')}</th>
              <th scope="col">{t('differences.tableSays')}</th>
            </tr>
          </thead>
          <tbody>
            {differing(journal, table).map((column) => (
              <tr key={column}>
                <th scope="row">
                  <code translate="no">{column}</code>
                </th>
                <td>{journal ? <AgentText as="path">{shown(journal[column])}</AgentText> : t('differences.none')}</td>
                <td>{table ? <AgentText as="path">{shown(table[column])}</AgentText> : t('differences.none')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p className={css.answers}>
        {set !== 'journal' && (
          <Button small disabled={busy} onClick={() => { onTake('journal') }}>
            {t(journal ? 'differences.takeJournal' : 'differences.remove')}
          </Button>
        )}
        <Button small disabled={busy} onClick={() => { onTake('table') }}>
          {t(table || set === 'journal' ? 'differences.takeTable' : 'differences.leaveOut')}
        </Button>
      </p>
    </li>
  )
}

/** The columns in which two versions differ; all of the one there is, where there is only one. */
function differing(journal: Difference['journal'], table: Difference['table']): string[] {
  const columns = [...new Set([...Object.keys(journal ?? {}), ...Object.keys(table ?? {})])].toSorted()
  return columns.filter((column) => !journal || !table || shown(journal[column]) !== shown(table[column]))
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
