import { Icon } from '../../ui/icon'
import css from './rule-row.module.css'
import { useI18n } from './screen'
import type { HandleEvents } from './use-reorder'

interface Props {
  id: string
  /** What the rule is called. */
  name: string
  place: number
  grabbed: boolean
  events: HandleEvents
}

/** The place of a rule, and what moves it: dragged, or picked up by Space or Enter and moved by the arrow keys. */
export function RuleHandle({ id, name, place, grabbed, events }: Props) {
  const { t } = useI18n()
  return (
    <button
      type="button"
      className={css.handle}
      aria-label={t('rules.moveOne', { rule: name, place })}
      aria-pressed={grabbed}
      title={t('rules.moveKeys')}
      onClick={(event) => {
        events.onClick(event, id)
      }}
      onKeyDown={(event) => {
        events.onKeyDown(event, id)
      }}
      onPointerDown={(event) => {
        events.onPointerDown(event, id)
      }}
      onBlur={events.onBlur}
    >
      <span className={css.place}>{place}</span>
      <Icon name="grip" />
    </button>
  )
}
