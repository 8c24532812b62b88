import { useMemo } from 'react'
import { useI18n } from './i18n'

/** The words of the view of an envelope. */
export function useEnvelopeWords() {
  const { t } = useI18n()
  return useMemo(
    () => ({
      label: t('envelope.label'),
      heading: t('envelope.heading'),
      about: t('envelope.about'),
      folded: (names: string) => t('envelope.folded', { names }),
    }),
    [t],
  )
}
