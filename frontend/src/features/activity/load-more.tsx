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
  const watch = (button: HTMLButtonElement | null) => {
    if (!button || !byItself) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) void onMore()
      },
      { rootMargin: '600px' },
    )
    observer.observe(button)
    return () => {
      observer.disconnect()
    }
  }
  return (
    <Button ref={watch} className={css.more} onClick={() => void onMore()}>
      {t('activity.more')}
    </Button>
  )
}
