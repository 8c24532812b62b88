import { useId, useImperativeHandle, useRef, useState, type ChangeEvent, type KeyboardEvent, type Ref } from 'react'
import { useLoaded } from '../../desk/queries'
import { errorText } from '../../i18n/error-text'
import { useClauseWords } from '../../i18n/use-clause-words'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { Field } from '../../ui/field'
import { Icon } from '../../ui/icon'
import { quote } from '../../ui/quote'
import { ClauseAdder, type ClauseAdderHandle } from './clause-adder'
import css from './condition-fields.module.css'
import { useI18n } from './screen'
import { useClauses } from './use-clauses'

export interface ConditionHandle {
  /** The condition with all that was written, once the desk has answered. Fails with a DeskError. */
  settled: () => Promise<string>
}

interface Props {
  ref: Ref<ConditionHandle>
  condition: string
  error: string | undefined
  onChange: (condition: string) => void
}

/** The condition of a rule: read and built in words, and as CEL where somebody wants to write that. */
export function ConditionFields({ ref, condition, error, onChange }: Props) {
  const { t } = useI18n()
  const id = useId()
  const agents = useLoaded('agents').data
  const words = useClauseWords(quote, agents)
  const { clauses, advanced, busy, error: refused, set, settled } = useClauses(condition, onChange)
  const adder = useRef<ClauseAdderHandle>(null)
  useImperativeHandle(ref, () => ({
    settled: async () => {
      const all = await settled(adder.current?.written ?? null)
      adder.current?.clear()
      return all
    },
  }))
  const [unfolded, setUnfolded] = useState<boolean | null>(null)
  const open = unfolded ?? (advanced || error !== undefined)
  // Enter saves here as in every field; a condition of several lines is written with Shift.
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    event.currentTarget.form?.requestSubmit()
  }
  return (
    <section className={css.condition} aria-labelledby={id}>
      <h3 className={css.title} id={id}>
        {t('rules.narrow')}
      </h3>
      {clauses?.length === 0 && <p className={css.none}>{t('rules.narrow.none')}</p>}
      {clauses === null && <p className={css.none}>{advanced ? t('rules.narrow.advanced') : t('common.loading')}</p>}
      {clauses !== null && clauses.length > 0 && (
        <ul className={css.clauses} aria-label={t('rules.narrow')}>
          {clauses.map((clause, i) => (
            // Clauses have no name of their own, and keep their order.
            <li key={i} className={css.clause}>
              <span id={`${id}-${String(i)}`}>{words.clause(clause)}</span>
              <Button
                look="quiet"
                small
                disabled={busy}
                aria-label={t('rules.narrow.remove')}
                aria-describedby={`${id}-${String(i)}`}
                onClick={() => void set(clauses.filter((other) => other !== clause))}
              >
                <Icon name="deny" />
              </Button>
            </li>
          ))}
        </ul>
      )}
      <Alert>{refused && errorText(t, refused)}</Alert>
      <ClauseAdder ref={adder} busy={busy} closed={clauses === null} onAdd={(clause) => set([...(clauses ?? []), clause])} />
      <details
        open={open || error !== undefined}
        onToggle={(event) => {
          if (event.currentTarget.open !== open) setUnfolded(event.currentTarget.open)
        }}
      >
        <summary>{t('rules.advanced')}</summary>
        <div className={css.cel}>
          <Field
            label={t('rules.formCondition')}
            hint={t('rules.formConditionHint')}
            lines={1}
            value={condition}
            error={error}
            onKeyDown={onKeyDown}
            onChange={(e: ChangeEvent<HTMLTextAreaElement>) => {
              onChange(e.currentTarget.value)
            }}
          />
        </div>
      </details>
    </section>
  )
}
