import type { Effect } from '../../desk/types'
import { Badge } from '../../ui/badge'
import { useI18n } from './screen'

/** What a rule says: an icon and a word. */
export function EffectBadge({ effect }: { effect: Effect }) {
  const { t } = useI18n()
  return (
    <Badge icon={effect} tone={effect}>
      {t(`effect.${effect}`)}
    </Badge>
  )
}
