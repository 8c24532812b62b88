import { useEffect, useEffectEvent, useRef } from 'react'
import { Button } from '../../ui/button'
import css from './activity-screen.module.css'
import { useI18n } from './screen'

interface Props {
  /** It need not be pressed; after a failure it must, or each would lead to the next. */
  byItself: boolean
  onMore: () => Promise<void>
}

/** Loads older calls when it comes into view, and when it is pressed. */
export function LoadMore({ byItself, onMore }: Props) {
  const { t } = useI18n()
  const button = useRef<HTMLButtonElement>(null)
  const more = useEffectEvent(onMore)
  useEffect(() => {
    if (!button.current || !byItself) return
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
