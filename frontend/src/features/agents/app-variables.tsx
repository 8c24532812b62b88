import { useState } from 'react'
import type { ClientEntry } from '../../desk/types'
import { AgentText } from '../../ui/agent-text'
import { Button } from '../../ui/button'
import { Check } from '../../ui/check'
import css from './apps.module.css'
import { useI18n } from './screen'

interface Props {
  app: string
  /** Those that would move. */
  entries: readonly ClientEntry[]
  carry: readonly string[]
  disabled: boolean
  onChange: (carry: string[]) => void
}

/** The variables that an app's servers would miss behind the desk, each to be taken along. */
export function AppVariables({ app, entries, carry, disabled, onChange }: Props) {
  const { t } = useI18n()
  const [all, setAll] = useState(false)
  const likely = [...new Set(entries.flatMap(({ missesLikely }) => missesLikely))]
  const others = [...new Set(entries.flatMap(({ missesOthers }) => missesOthers))].filter((name) => !likely.includes(name))
  if (likely.length + others.length === 0) return null
  return (
    <fieldset className={css.variables}>
      <legend>{t('apps.misses')}</legend>
      <p>{t('apps.missesText', { app })}</p>
      {[...likely, ...(all ? others : [])].map((name) => (
        <Check
          key={name}
          label={<AgentText>{name}</AgentText>}
          checked={carry.includes(name)}
          disabled={disabled}
          onChange={(checked) => {
            onChange(checked ? [...carry, name] : carry.filter((other) => other !== name))
          }}
        />
      ))}
      {others.length > 0 && (
        <Button
          className={css.toggle}
          look="quiet"
          small
          aria-expanded={all}
          onClick={() => {
            setAll(!all)
          }}
        >
          {t('apps.missesOthers', { count: others.length })}
        </Button>
      )}
    </fieldset>
  )
}
