import type { Server } from '../../desk/types'
import { wordFor } from '../../i18n/error-text'
import { Badge } from '../../ui/badge'
import { useI18n } from './screen'

const looks = { idle: ['clock', 'plain'], running: ['allow', 'allow'], failed: ['warning', 'deny'], disabled: ['off', 'muted'] } as const

/** How a server does, as the desk says; nothing where it says nothing. */
export function ServerState({ server: { state } }: { server: Server }) {
  const { t } = useI18n()
  if (state === '') return null
  const [icon, tone] = Object.hasOwn(looks, state) ? looks[state as keyof typeof looks] : looks.idle
  return (
    <Badge icon={icon} tone={tone}>
      {wordFor(t, 'servers', state)}
    </Badge>
  )
}
