import { useI18n } from '../../../i18n/i18n'
import { Select } from '../../../ui/select'
import type { Draft } from './draft'
import { spanName, spans, type Reach } from './reach'

interface Props {
  reach: Reach
  change: (part: Partial<Draft>) => void
  disabled: boolean
}

/** How long an approval of wider reach lasts. */
export function SpanChoice({ reach, change, disabled }: Props) {
  const { t } = useI18n()
  return (
    <Select
      place="hidden"
      label={t('approval.span')}
      value={String(reach.forSeconds)}
      disabled={disabled}
      options={spans.map((span) => [String(span), t(spanName(span))])}
      onChange={(name) => {
        change({ reach: { ...reach, forSeconds: spans.find((span) => String(span) === name) ?? null } })
      }}
    />
  )
}
