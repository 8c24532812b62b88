import { useMemo } from 'react'
import { useI18n } from './i18n'

/** The words of a difference, in the person's language. */
export function useDiffWords() {
  const { t } = useI18n()
  return useMemo(
    () => ({
      added: t('shape.added'),
      removed: t('shape.removed'),
      gap: (count: number) => t('shape.gap', { count }),
      crlf: t('shape.crlf'),
      noEnd: t('shape.noEnd'),
      folded: (count: number) => t('input.folded', { count }),
      foldedLines: (count: number) => t('shape.foldedLines', { count }),
      blankLines: (count: number) => t('shape.blankLines', { count }),
      sameLines: (count: number) => t('shape.sameLines', { count }),
      showAll: t('input.showAll'),
    }),
    [t],
  )
}
