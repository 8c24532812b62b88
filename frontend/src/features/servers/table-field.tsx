import { useState } from 'react'
import type { ToolPermission, ToolTable } from '../../desk/types'
import { wordFor } from '../../i18n/error-text'
import { AgentText } from '../../ui/agent-text'
import { Button } from '../../ui/button'
import { Check } from '../../ui/check'
import { Field } from '../../ui/field'
import { Select } from '../../ui/select'
import { useI18n } from './screen'
import css from './table-field.module.css'
import { firstTable, otherTools, permissions, withPermission } from './tool-table'

interface Props {
  table: ToolTable
  /** The tools of the server that are known. */
  tools: readonly string[]
  error: string | undefined
  onChange: (table: ToolTable) => void
}

/** Who may use which tool of a server at all, being written: the known tools, those that the table names, and all others. */
export function TableField({ table, tools, error, onChange }: Props) {
  const { t } = useI18n()
  const [added, setAdded] = useState<readonly string[]>([])
  const named = table ? Object.keys(table).filter((tool) => tool !== otherTools) : []
  const names = [...new Set([...tools, ...named, ...added])].sort()
  return (
    <fieldset className={css.table}>
      <legend className={css.legend}>{t('servers.permissions')}</legend>
      <Check
        label={t('servers.permissionsCheck')}
        checked={table !== null}
        onChange={(on) => {
          onChange(on ? firstTable : null)
        }}
      />
      <p className={css.hint}>{t(table ? 'servers.permissionsLead' : 'servers.permissionsNone')}</p>
      {error && (
        <p className={css.error} role="alert">
          {error}
        </p>
      )}
      {table && (
        <>
          <ul className={css.rows}>
            <One name={t('servers.permissionsOthers')} tool={otherTools} none={t('servers.permissionsNobody')} table={table} onChange={onChange} />
            {names.map((tool) => (
              <One key={tool} tool={tool} none={t('servers.permissionsAsOthers')} table={table} onChange={onChange} />
            ))}
          </ul>
          <AddTool
            onAdd={(tool) => {
              setAdded((all) => [...all, tool])
            }}
          />
        </>
      )}
    </fieldset>
  )
}

interface OneProps {
  tool: string
  /** What it is called; left out, its name is quoted. */
  name?: string
  /** What it means that the table does not have it. */
  none: string
  table: NonNullable<ToolTable>
  onChange: (table: ToolTable) => void
}

function One({ tool, name, none, table, onChange }: OneProps) {
  const { t } = useI18n()
  const value = Object.hasOwn(table, tool) ? (table[tool] ?? '') : ''
  const known = permissions.map((permission) => [permission, wordFor(t, 'servers.may', permission)] as const)
  return (
    <li className={css.row}>
      <span>{name ?? <AgentText>{tool}</AgentText>}</span>
      <Select<ToolPermission | ''>
        label={name ?? t('servers.permissionsOne', { tool })}
        place="hidden"
        small
        value={value}
        options={[['', none], ...known]}
        onChange={(permission) => {
          onChange(withPermission(table, tool, permission === '' ? null : permission))
        }}
      />
    </li>
  )
}

/** A tool that the desk does not know yet, by its exact name. */
function AddTool({ onAdd }: { onAdd: (tool: string) => void }) {
  const { t } = useI18n()
  const [tool, setTool] = useState('')
  const add = () => {
    if (tool === '' || tool === otherTools) return
    onAdd(tool)
    setTool('')
  }
  return (
    <div className={css.add}>
      <Field
        label={t('servers.permissionsAdd')}
        hint={t('servers.permissionsAddHint')}
        value={tool}
        onChange={(e: { currentTarget: { value: string } }) => {
          setTool(e.currentTarget.value)
        }}
        onKeyDown={(e: { key: string; preventDefault: () => void }) => {
          if (e.key !== 'Enter') return
          e.preventDefault() // it is not the form that is sent
          add()
        }}
      />
      <Button onClick={add}>{t('servers.permissionsAddButton')}</Button>
    </div>
  )
}
