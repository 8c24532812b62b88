import { useState, type ReactNode } from 'react'
import { useLive } from '../desk/live'
import { part as found } from '../features/agents/found-part'
import { hasLeft, isOver } from '../features/welcome/left'
import { firstRule, part } from '../features/welcome/part'
import { useI18n } from '../i18n/i18n'
import { Button } from '../ui/button'
import { loadWelcome } from './load-welcome'
import type { LatePart } from './open-part'
import { PartBoundary } from './part-boundary'

/** The welcome of a new desk around the word that nothing waits, which stands alone on any other, and where the welcome cannot be loaded. */
export function LateWelcome({ children }: { children: ReactNode }) {
  const { language } = useI18n()
  const { data } = useLive('firstSteps')
  const [welcomes, setWelcomes] = useState(false) // it says itself when it is over
  if (!data) return null
  if (!welcomes && isOver(data, hasLeft())) return children
  if (!welcomes) setWelcomes(true)
  void loadWelcome(language, data.answered !== null)
  return <PartBoundary part={part} props={{ children, Found, FirstRule }} failed={() => children} />
}

/** What of the welcome is loaded by itself. */
function late<P extends object>(part: LatePart<P>) {
  return function Late(props: P) {
    const { t } = useI18n()
    return <PartBoundary part={part} props={props} failed={(_, retry) => <Button onClick={retry}>{t('common.retry')}</Button>} />
  }
}

const Found = late(found)
const FirstRule = late(firstRule)
