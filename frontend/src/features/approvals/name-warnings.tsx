import { useI18n } from '../../i18n/i18n'
import { Notice } from '../../ui/notice'
import { countHidden, splitName } from '../../ui/split-text'

/** Says in words when a name is not what it looks like. */
export function NameWarnings({ names }: { names: readonly string[] }) {
  const { t } = useI18n()
  const stretches = names.flatMap(splitName)
  const count = countHidden(stretches)
  return (
    <>
      {count > 0 && <Notice tone="deny">{t('approval.nameHidden', { count })}</Notice>}
      {stretches.some((s) => s.kind === 'foreign') && <Notice tone="deny">{t('approval.nameMixed')}</Notice>}
    </>
  )
}
