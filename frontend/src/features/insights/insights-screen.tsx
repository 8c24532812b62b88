import { Screen } from '../../ui/screen'
import { Absence } from './absence'
import { BreakPanel } from './break-panel'
import { OverTime } from './over-time'
import { useI18n } from './screen'
import css from './insights-screen.module.css'

/** What happened while nobody was here, how much is asked over time, and what can be done about it. */
export function InsightsScreen() {
  const { t } = useI18n()
  return (
    <Screen title={t('insights.title')} lead={t('insights.lead')} action={<BreakPanel />}>
      <div className={css.parts}>
        <Absence />
        <OverTime />
      </div>
    </Screen>
  )
}
