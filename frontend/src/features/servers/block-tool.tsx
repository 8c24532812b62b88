import { useBlockTool } from '../../desk/use-block-tool'
import { errorText } from '../../i18n/error-text'
import { Button } from '../../ui/button'
import { useI18n } from './screen'

/** A way to deny one tool of a server for good. */
export function BlockTool({ server, tool }: { server: string; tool: string }) {
  const { t } = useI18n()
  const { state, error, block } = useBlockTool(server, tool, t('flag.note'))
  return (
    <>
      {state !== 'blocked' && (
        <Button small disabled={state === 'busy'} aria-label={t('flag.blockOne', { tool })} onClick={() => void block()}>
          {t('flag.block')}
        </Button>
      )}
      <span role="status">{state === 'blocked' && t('flag.blocked')}</span>
      {error && <span role="alert">{errorText(t, error)}</span>}
    </>
  )
}
