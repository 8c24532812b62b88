import { useI18n } from '../../i18n/i18n'
import type { Draft } from './draft'
import { spanName, spans, type Reach } from './reach'
import css from './reach-choice.module.css'

interface Props {
  reach: Reach
  change: (part: Partial<Draft>) => void
  disabled: boolean
}

/** How long an approval of wider reach lasts. */
export function SpanChoice({ reach, change, disabled }: Props) {
  const { t } = useI18n()
  return (
    <select
      className={css.span}
      aria-label={t('approval.span')}
      value={String(reach.forSeconds)}
      disabled={disabled}
      onChange={(e) => {
        change({ reach: { ...reach, forSeconds: spans.find((span) => String(span) === e.currentTarget.value) ?? null } })
      }}
    >
      {spans.map((span) => (
        <option key={span} value={String(span)}>
          {t(spanName(span))}
        </option>
      ))}
    </select>
  )
}
