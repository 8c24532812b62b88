import { useState } from 'react'
import { useDesk } from '../../desk/desk-context'
import { DeskError } from '../../desk/desk-error'
import { errorText } from '../../i18n/error-text'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { Empty } from '../../ui/empty'
import { Icon } from '../../ui/icon'
import { Screen } from '../../ui/screen'
import { GrantRow } from './grant-row'
import css from './grants-screen.module.css'
import { useI18n } from './screen'
import { useGrants } from './use-grants'

/** Everything that allows (or declines) without asking now, and how to end it. */
export function GrantsScreen() {
  const { t } = useI18n()
  const desk = useDesk()
  const { data, error, reload } = useGrants()
  const [failed, setFailed] = useState<DeskError | null>(null)
  const does = async (deed: Promise<void>) => {
    try {
      await deed
      setFailed(null)
    } catch (thrown) {
      setFailed(DeskError.from(thrown))
    }
    await reload()
  }
  const wrong = failed ?? error
  const hold = data && (
    <Button look={data.hold ? 'plain' : 'strong'} aria-pressed={data.hold} onClick={() => void does(desk.hold(!data.hold))}>
      <Icon name="off" /> {t(data.hold ? 'grants.release' : 'grants.hold')}
    </Button>
  )
  return (
    <Screen title={t('grants.title')} lead={t('grants.lead')} action={hold}>
      <Alert>{wrong && errorText(t, wrong)}</Alert>
      {!data && !error && <p role="status">{t('common.loading')}</p>}
      {data?.grants.length === 0 && (
        <Empty title={t('grants.emptyTitle')}>
          <p>{t('grants.emptyText')}</p>
        </Empty>
      )}
      <ul className={css.list} aria-label={t('grants.list')}>
        {data?.grants.map((grant) => (
          <GrantRow key={grant.id} grant={grant} onEnd={() => does(desk.endGrant(grant.id))} />
        ))}
      </ul>
      {data && (
        <p className={css.rules}>
          <a href="#/rules?effect=allow">{t('grants.rules', { count: data.allowing })}</a>
        </p>
      )}
    </Screen>
  )
}
