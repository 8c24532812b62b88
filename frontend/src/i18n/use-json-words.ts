import { useMemo } from 'react'
import { useI18n } from './i18n'

/** The words of the view of a raw input. */
export function useJsonWords() {
  const { t } = useI18n()
  return useMemo(
    () => ({
      label: t('input.label'),
      noParameters: t('input.noParameters'),
      notJson: t('input.notJson'),
      counting: t('input.counting'),
      hidden: (count: number) => t('input.hidden', { count }),
      foreign: (count: number) => t('input.foreign', { count }),
      long: (count: number, folded: number) => t('input.long', { count, folded }),
      folded: (count: number) => t('input.folded', { count }),
      characters: (count: number) => t('input.size', { count }),
      lines: (count: number) => t('input.lines', { count }),
      unfolding: t('input.unfolding'),
      showAll: t('input.showAll'),
      copy: t('input.copy'),
      copied: t('common.copied'),
    }),
    [t],
  )
}
