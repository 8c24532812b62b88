import { useI18n } from '../../i18n/i18n'
import { Button } from '../../ui/button'
import { Field } from '../../ui/field'
import css from './tester.module.css'

interface Props {
  text: string
  /** Where it stops being JSON. */
  fault: { line: number; column: number } | null
  onChange: (text: string) => void
}

/** More than this is tried as it was sent, and not written over: a field of such a length stops the page. */
const writable = 100_000

/** The input of the call to try, as JSON text. */
export function TesterInput({ text, fault, onChange }: Props) {
  const { t } = useI18n()
  if (text.length > writable) {
    return (
      <div className={css.input}>
        <p className={css.label}>{t('rules.testInput')}</p>
        <p className={css.long}>
          {t('rules.testLong', { count: text.length })}
          <Button
            small
            onClick={() => {
              onChange('')
            }}
          >
            {t('rules.testAnother')}
          </Button>
        </p>
      </div>
    )
  }
  return (
    <div className={css.input}>
      <Field
        label={t('rules.testInput')}
        hint={t('rules.testInputHint')}
        lines={4}
        error={fault ? t('rules.testFault', fault) : undefined}
        value={text}
        onChange={(e: { currentTarget: { value: string } }) => {
          onChange(e.currentTarget.value)
        }}
      />
    </div>
  )
}
