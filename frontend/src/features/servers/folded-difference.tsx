import type { TextLook } from '../../desk/types'
import { useDifference } from '../../i18n/use-difference'
import { Difference } from '../../ui/diff-view/difference'
import { Notice } from '../../ui/notice'
import { useI18n } from './screen'
import type { Unfolded } from './use-unfolded'

interface Props {
  /** Of the difference, among all. */
  name: string
  label: string
  text: TextLook
  unfolded: Unfolded
}

/** A difference that a person accepts with others: while some of it is folded, it says that it does not count. */
export function FoldedDifference({ name, label, text, unfolded }: Props) {
  const { t } = useI18n()
  const said = useDifference()
  return (
    <>
      <Difference
        key={name} // another one is folded anew
        label={label}
        lines={text.lines}
        {...said(text)}
        onWhole={() => {
          unfolded.unfold(name)
        }}
      />
      {!unfolded.isShown(name, text) && <Notice tone="care">{t('servers.folded')}</Notice>}
    </>
  )
}
