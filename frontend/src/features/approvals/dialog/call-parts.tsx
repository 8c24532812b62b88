import { useState } from 'react'
import type { CommandLook } from '../../../desk/types'
import { useCoded } from '../../../i18n/coded'
import { useSummaryWords } from '../../../i18n/use-summary-words'
import { AgentText } from '../../../ui/agent-text'
import { useFold } from '../../../ui/folds'
import { runsOf } from '../../../ui/repeats'
import { ShowAll } from '../../../ui/show-all'
import type { Looked } from '../answer/use-look'
import css from './approval-dialog.module.css'

/** How many are shown until a person wants all. */
const first = 8

export interface PartsProps {
  looked: Looked
  /** The input is no longer the one that the desk looked at. */
  edited: boolean
}

/** The parts of a line of several, each with its program and what that does; of equal ones in a row the first and how many they are. */
export function CallParts({ looked, edited }: PartsProps) {
  const parts = looked.look?.command?.parts ?? []
  const { t, tx, coded } = useCoded()
  const { effects } = useSummaryWords((text) => <AgentText>{text}</AgentText>)
  const fold = useFold()
  const [all, setAll] = useState(false)
  if (parts.length < 2 || !coded || edited) return null
  const unnamed = (part: CommandLook['parts'][number]) => t(part.effects.includes('opaque') ? 'programs.hidden' : 'programs.shell')
  const written = (path: string) => (path === '' ? t('programs.writesHidden') : tx('programs.writes', { path: <AgentText as="path">{path}</AgentText> }))
  const runs = runsOf(parts.map(({ name, effects, writes }) => JSON.stringify([name, effects, writes])))
  const shown = all ? runs : runs.slice(0, first)
  const hidden = parts.length - shown.reduce((n, { count }) => n + count, 0)
  return (
    <div>
      <ol className={css.parts} aria-label={t('programs.parts')}>
        {shown.map(({ from, count }) => {
          const part = parts[from]
          if (part === undefined) return null
          const others = part.effects.filter((effect) => effect !== 'writes' || part.writes.length === 0)
          return (
            <li key={from}>
              {part.name === '' ? unnamed(part) : <AgentText>{part.name}</AgentText>}{' '}
              <span className={css.effects}>
                {effects(others)}
                {part.writes.map((path, n) => (
                  <span key={n}>
                    {(n > 0 || others.length > 0) && '; '}
                    {written(path)}
                  </span>
                ))}
                {count > 1 && ` × ${String(count)}`}
              </span>
            </li>
          )
        })}
      </ol>
      {hidden > 0 && (
        <div ref={fold}>
          <ShowAll
            label={t('programs.all', { count: hidden })}
            onShow={() => {
              setAll(true)
            }}
          />
        </div>
      )}
    </div>
  )
}
