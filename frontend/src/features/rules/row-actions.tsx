import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon'
import css from './rule-row.module.css'
import { useI18n } from './screen'

interface Props {
  /** What the rule is called. */
  name: string
  /** All of it is shown. */
  whole: boolean
  /** The focus goes to Edit. */
  back: boolean
  onWhole: () => void
  onEdit: () => void
  onDelete: () => void
}

/** What can be done with one rule. */
export function RowActions({ name, whole, back, onWhole, onEdit, onDelete }: Props) {
  const { t } = useI18n()
  return (
    <div className={css.actions}>
      <Button look="quiet" small aria-label={t('rules.wholeOne', { rule: name })} aria-expanded={whole} onClick={onWhole}>
        <Icon name="list" /> {t('rules.whole')}
      </Button>
      <Button look="quiet" small autoFocus={back} aria-label={t('rules.editOne', { rule: name })} onClick={onEdit}>
        <Icon name="edit" /> {t('common.edit')}
      </Button>
      <Button look="quiet" small aria-label={t('rules.deleteOne', { rule: name })} onClick={onDelete}>
        <Icon name="trash" /> {t('common.delete')}
      </Button>
    </div>
  )
}
