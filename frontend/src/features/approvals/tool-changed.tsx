import type { TextLook } from '../../desk/types'
import { useI18n } from '../../i18n/i18n'
import { useDiffWords } from '../../i18n/use-diff-words'
import { DiffView } from '../../ui/diff-view/diff-view'
import { Notice } from '../../ui/notice'
import { Shape } from './shapes/shape'
import css from './shapes/shapes.module.css'
import type { ToolLooked } from './use-tool-look'

/** What is other about the call's tool than when it was allowed: the server's words, line by line. */
export function ToolChanged({ tool: { known, look } }: { tool: ToolLooked }) {
  const { t } = useI18n()
  if (!known) return <p role="status">{t('tool.loading')}</p>
  return (
    <Shape title={t('approval.toolChanged')}>
      {look === null && <Notice tone="deny">{t('approval.toolFailed')}</Notice>}
      {look?.back && <Notice tone="care">{t('tool.back')}</Notice>}
      {look?.changed === null && <Notice tone="plain">{t('servers.unchanged')}</Notice>}
      {look?.definition && <Difference of={look.definition} label={t('tool.definition')} />}
      {look?.launch && <Difference of={look.launch} label={t('tool.launch')} />}
    </Shape>
  )
}

function Difference({ of, label }: { of: TextLook; label: string }) {
  const { t } = useI18n()
  const words = useDiffWords()
  return (
    <>
      <p className={css.facts}>
        <span>{label}</span>
        <span className={css.soft}>{t('shape.fileLines', { added: of.added, removed: of.removed })}</span>
      </p>
      <DiffView lines={of.lines} label={label} words={words} />
      {of.cut && <Notice tone="care">{t('tool.cut')}</Notice>}
      {of.more > 0 && <Notice tone="care">{t('tool.more', { count: of.more })}</Notice>}
    </>
  )
}
