import { useEffect, useEffectEvent, useRef } from 'react'
import { useI18n } from '../../i18n/i18n'
import { Button } from '../../ui/button'
import css from './activity-screen.module.css'

/** Loads older calls when it comes into view, and when it is pressed. */
export function LoadMore({ onMore }: { onMore: () => Promise<void> }) {
  const { t } = useI18n()
  const button = useRef<HTMLButtonElement>(null)
  const more = useEffectEvent(onMore)
  useEffect(() => {
    if (!button.current) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) void more()
      },
      { rootMargin: '600px' },
    )
    observer.observe(button.current)
    return () => {
      observer.disconnect()
    }
  })
  return (
    <Button ref={button} className={css.more} onClick={() => void onMore()}>
      {t('activity.more')}
    </Button>
  )
}
