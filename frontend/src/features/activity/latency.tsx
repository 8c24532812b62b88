import { cached } from '../../i18n/cached'
import type { Call } from '../../desk/types'
import { useI18n } from './screen'

/** How long the call waited for its decision. */
export function Latency({ call }: { call: Call }) {
  const { t, language } = useI18n()
  if (!call.decision) return null
  const ms = Date.parse(call.decision.decidedAt) - Date.parse(call.createdAt)
  if (!(ms >= 0)) return null
  return <span>{t('activity.decidedAfter', { time: duration(ms, language) })}</span>
}

const units = cached(
  (language = '', unit = '') =>
    new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: unit === 'millisecond' ? 0 : 1 }),
)

/** 7 is 7 ms, 4200 is 4.2 s, 272000 is 4.5 min, in the language's own way. */
export function duration(ms: number, language: string): string {
  const [value, unit] = ms < 1000 ? ([ms, 'millisecond'] as const) : ms < 60_000 ? ([ms / 1000, 'second'] as const) : ([ms / 60_000, 'minute'] as const)
  return units(language, unit).format(value)
}
