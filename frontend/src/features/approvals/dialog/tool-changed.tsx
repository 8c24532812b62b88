import { useI18n } from '../../../i18n/i18n'
import { useDifference } from '../../../i18n/use-difference'
import { Difference } from '../../../ui/diff-view/difference'
import { Notice } from '../../../ui/notice'
import type { ToolLooked } from '../answer/use-tool-look'
import { Shape } from '../shapes/shape'

/** What is other about the call's tool than when it was allowed: the server's words, line by line. */
export function ToolChanged({ tool: { doubtful, look } }: { tool: ToolLooked }) {
  const { t } = useI18n()
  const said = useDifference()
  if (doubtful) return <Notice tone="care">{t('tool.unknown')}</Notice>
  return (
    <Shape title={t('approval.toolChanged')}>
      {look === null && <Notice tone="deny">{t('approval.toolFailed')}</Notice>}
      {look?.back && <Notice tone="care">{t('tool.back')}</Notice>}
      {look?.changed === '' && <Notice tone="plain">{t('servers.unchanged')}</Notice>}
      {look?.definition && <Difference label={t('tool.definition')} lines={look.definition.lines} {...said(look.definition)} />}
      {look?.launch && <Difference label={t('tool.launch')} lines={look.launch.lines} {...said(look.launch)} />}
    </Shape>
  )
}
