import { useState } from 'react'
import { useI18n } from '../../../i18n/i18n'
import { useJsonWords } from '../../../i18n/use-json-words'
import { JsonCode } from '../../../ui/json-view/json-code'
import type { JsonReading } from '../../../ui/json-view/use-json'
import type { Mark } from './risk-marks'
import css from './shapes.module.css'

interface Props {
  raw: string
  reading: JsonReading
  /** A known shape of it stands above. */
  titled: boolean
  /** That shape shows all of it: then it may stay folded. */
  covered: boolean
  /** What raised the risk, in the texts of the input by their numbers. */
  risky: ReadonlyMap<number, readonly Mark[]>
}

/** The input in full, as it was sent. */
export function WholeInput({ raw, reading, titled, covered, risky }: Props) {
  const { t } = useI18n()
  const words = useJsonWords()
  const [open, setOpen] = useState(false)
  const code = <JsonCode raw={raw} reading={reading} words={words} marks={risky} />
  if (!covered) {
    return (
      <>
        {titled && <h4 className={css.title}>{t('shape.whole')}</h4>}
        {code}
      </>
    )
  }
  return (
    <details
      className={css.whole}
      open={open}
      onToggle={(e) => {
        setOpen(e.currentTarget.open)
      }}
    >
      <summary>
        {t('shape.whole')}{' '}
        <small>
          {words.characters(raw.length)} · {words.lines(reading.counts?.lines ?? 1)} · {t('shape.wholeCovered')}
        </small>
      </summary>
      {code}
    </details>
  )
}
