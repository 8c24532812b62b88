import type { PendingCall, TextFlag } from '../../../desk/types'
import { useBlockTool } from '../../../desk/use-block-tool'
import { errorText } from '../../../i18n/error-text'
import { useI18n } from '../../../i18n/i18n'
import { useFlagWords } from '../../../i18n/use-flag-words'
import { AgentText } from '../../../ui/agent-text'
import { Button } from '../../../ui/button'
import { Notice } from '../../../ui/notice'

interface Props {
  call: PendingCall
  flags: readonly TextFlag[]
  /** An answer is given: nothing else is done with the call before it is sent. */
  frozen: boolean
}

/** What deceives in what the call's tool says of itself, and a way to deny the tool for good. */
export function ToolFlags({ call: { serverId, toolName }, flags, frozen }: Props) {
  const { t } = useI18n()
  const words = useFlagWords((text) => <AgentText as="path">{text}</AgentText>)
  const { state, error, block } = useBlockTool(serverId ?? '', toolName, t('flag.note'))
  if (flags.length === 0 || serverId === null) return null // only a server's list has such texts
  return (
    <Notice tone="deny">
      <p>{t('flag.lead')}</p>
      {words(flags)}
      {error && <p role="alert">{errorText(t, error)}</p>}
      <p role="status">{state === 'blocked' && t('flag.blocked')}</p>
      {state !== 'blocked' && (
        <Button small disabled={frozen || state === 'busy'} onClick={() => void block()}>
          {t('flag.block')}
        </Button>
      )}
    </Notice>
  )
}
