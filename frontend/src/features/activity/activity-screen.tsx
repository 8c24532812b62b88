import { errorText } from '../../i18n/error-text'
import { useI18n } from '../../i18n/i18n'
import { Button } from '../../ui/button'
import { Empty } from '../../ui/empty'
import { Notice } from '../../ui/notice'
import { Screen } from '../../ui/screen'
import { ActivityRow } from './activity-row'
import css from './activity-screen.module.css'
import { useActivity } from './use-activity'

/** What was asked and what became of it. */
export function ActivityScreen() {
  const { t } = useI18n()
  const { calls, hasMore, error, more, known } = useActivity()
  return (
    <Screen title={t('activity.title')} lead={t('activity.lead')}>
      {error && (
        <Notice tone="deny" role="alert">
          {errorText(t, error)}
        </Notice>
      )}
      {!calls && !error && <p role="status">{t('common.loading')}</p>}
      {calls?.length === 0 && (
        <Empty title={t('activity.emptyTitle')}>
          <p>{t('activity.emptyText')}</p>
        </Empty>
      )}
      <ol className={css.list}>
        {calls?.map((call) => (
          <ActivityRow key={call.id} call={call} onKnown={known} />
        ))}
      </ol>
      {hasMore && (
        <Button className={css.more} onClick={() => void more()}>
          {t('activity.more')}
        </Button>
      )}
    </Screen>
  )
}
