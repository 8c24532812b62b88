import { useState, type ReactNode } from 'react'
import { useLive } from '../desk/live'
import type { FoundProps } from '../features/agents/found-apps'
import { part as found } from '../features/agents/found-part'
import type { FirstRuleProps } from '../features/welcome/first-rule'
import { hasLeft, isOver } from '../features/welcome/left'
import { firstRule, part } from '../features/welcome/part'
import { useI18n } from '../i18n/i18n'
import { Button } from '../ui/button'
import { loadWelcome } from './load-welcome'
import { PartBoundary } from './part-boundary'

/** The welcome of a new desk around the word that nothing waits, which stands alone on any other, and where the welcome cannot be loaded. */
export function LateWelcome({ children }: { children: ReactNode }) {
  const { language } = useI18n()
  const { data } = useLive('firstSteps')
  const [welcomes, setWelcomes] = useState(false) // it says itself when it is over
  if (!data) return null
  if (!welcomes && isOver(data, hasLeft())) return children
  if (!welcomes) setWelcomes(true)
  void loadWelcome(language, data.calls !== 'none')
  return <PartBoundary part={part} props={{ children, Found, FirstRule }} failed={() => children} />
}

/** The apps that were found, which are loaded by themselves. */
function Found(props: FoundProps) {
  const { t } = useI18n()
  return <PartBoundary part={found} props={props} failed={(_, retry) => <Button onClick={retry}>{t('common.retry')}</Button>} />
}

/** What follows the first call, which is loaded by itself too: where it fails, the welcome does. */
function FirstRule(props: FirstRuleProps) {
  const failed = (error: unknown) => {
    throw error
  }
  return <PartBoundary part={firstRule} props={props} failed={failed} />
}
