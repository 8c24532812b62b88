import { useI18n } from '../../../i18n/i18n'
import { Button } from '../../../ui/button'
import { Check } from '../../../ui/check'
import { Seal } from '../../../ui/seal'
import css from './waiting-bar.module.css'

export interface QuietSwitch {
  /** Where it stands, be it only pressed. */
  pressed: boolean | null
  set: (quiet: boolean) => void
}

interface Props {
  count: number
  /** More wait than are counted. */
  more: boolean
  /** null: it may disturb. */
  quiet: QuietSwitch | null
  onReview: () => void
}

/** How many calls wait for a person, and whether that is meant to disturb nobody. */
export function QuietLine({ count, more, quiet, onReview }: Props) {
  const { t } = useI18n()
  const words = more ? (quiet ? 'quiet.barMore' : 'waiting.barMore') : quiet ? 'quiet.bar' : 'waiting.bar'
  return (
    <div className={css.bar}>
      <Seal />
      <p className={css.text}>{t(words, { count })}</p>
      {quiet && <Check label={t('quiet.short')} checked={quiet.pressed ?? true} onChange={quiet.set} />}
      <Button
        look="strong"
        small
        onClick={() => {
          onReview()
        }}
      >
        {t('waiting.review')}
      </Button>
    </div>
  )
}
