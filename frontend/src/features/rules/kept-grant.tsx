import { useLoaded } from '../../desk/queries'
import type { RuleForm } from '../../desk/types'
import { errorText } from '../../i18n/error-text'
import { useCoverageWords } from '../../i18n/use-coverage-words'
import { Alert } from '../../ui/alert'
import { quote } from '../../ui/quote'
import { OfferRow } from './offer-row'
import { Panel } from './panel'
import { useI18n } from './screen'
import css from './suggestions.module.css'

interface Props {
  grantId: string
  /** Opens a rule as a draft: it is looked at before it is saved. */
  onOpen: (form: RuleForm) => void
  onClose: () => void
}

/** Rules that would go on giving the answer of a grant. */
export function KeptGrant({ grantId, onOpen, onClose }: Props) {
  const { t } = useI18n()
  const { whole } = useCoverageWords(quote)
  const { data, error } = useLoaded('widen', [{ grantId }])
  return (
    <Panel title={t('rules.keep')} lead={t('rules.keepLead')} onClose={onClose}>
      <Alert>{error && errorText(t, error)}</Alert>
      {!data && !error && <p role="status">{t('common.loading')}</p>}
      {data?.length === 0 && <p>{t('rules.keepNone')}</p>}
      <ul className={css.list}>
        {data?.map((offer) => (
          <li key={JSON.stringify(offer.rule)}>
            <OfferRow
              offer={offer}
              words={whole(offer.covers)}
              onOpen={() => {
                onOpen(offer.rule)
              }}
            />
          </li>
        ))}
      </ul>
    </Panel>
  )
}
