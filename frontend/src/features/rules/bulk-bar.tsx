import { useState } from 'react'
import { errorText } from '../../i18n/error-text'
import { Button } from '../../ui/button'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { Icon } from '../../ui/icon'
import { ruleName } from './rule-draft'
import { useI18n } from './screen'
import css from './undo-bar.module.css'
import { useBulk } from './use-bulk'
import type { Picks } from './use-picks'

/** What can be done with the rules that are chosen, all together. */
export function BulkBar({ picks }: { picks: Picks }) {
  const { t } = useI18n()
  const { busy, error, stoppedAt, act } = useBulk(picks)
  const [asking, setAsking] = useState(false)
  const count = picks.rules.length
  if (count === 0 && !error) return null
  const stopped = error && `${error.code === 'lost_update' ? t('rules.bulkLost') : errorText(t, error)} ${stoppedAt ? t('rules.bulkStopped', { rule: ruleName(stoppedAt, t('rules.anyServer'), t('rules.anyTool')) }) : ''}`
  return (
    <div className={css.bar} role="group" aria-label={t('rules.bulk')}>
      <p role="status">{t('rules.picked', { count })}</p>
      {stopped !== null && (
        <p className={css.error} role="alert">
          {stopped}
        </p>
      )}
      <Button small disabled={busy || count === 0} onClick={() => void act('switchedOn')}>
        {t('rules.bulkOn')}
      </Button>
      <Button small disabled={busy || count === 0} onClick={() => void act('switchedOff')}>
        {t('rules.bulkOff')}
      </Button>
      <Button
        small
        disabled={busy || count === 0}
        onClick={() => {
          setAsking(true)
        }}
      >
        <Icon name="trash" /> {t('common.delete')}
      </Button>
      <Button
        small
        look="quiet"
        disabled={busy}
        onClick={() => {
          picks.set([])
        }}
      >
        {t('rules.pickNone')}
      </Button>
      {asking && (
        <ConfirmDialog
          title={t('rules.bulkDeleteTitle', { count })}
          confirm={t('common.delete')}
          cancel={t('common.cancel')}
          onConfirm={async () => {
            setAsking(false)
            await act('deleted')
          }}
          onCancel={() => {
            setAsking(false)
          }}
        >
          <p>{t('rules.bulkDeleteText')}</p>
        </ConfirmDialog>
      )}
    </div>
  )
}
