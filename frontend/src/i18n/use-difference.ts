import { useI18n } from './i18n'
import { useDiffWords } from './use-diff-words'

interface Counted {
  added: number
  removed: number
  /** One of the texts is longer than what was compared. */
  cut: boolean
  /** How many lines of the difference were left out. */
  more: number
}

/** What is said beside a difference of two texts, in the person's language. */
export function useDifference() {
  const { t } = useI18n()
  const words = useDiffWords()
  return ({ added, removed, cut, more }: Counted) => ({
    words,
    counts: t('shape.fileLines', { added, removed }),
    notes: [...(cut ? [t('tool.cut')] : []), ...(more > 0 ? [t('tool.more', { count: more })] : [])],
  })
}
