import type { SignedOut } from '../desk/open-desk'
import { useI18n } from '../i18n/i18n'
import { CopyButton } from '../ui/copy-button'
import { Seal } from '../ui/seal'
import { LatePreferences } from './late-preferences'
import css from './sign-in.module.css'

const command = 'sekisho login-url'

/** How to come in, for a browser that has no key (or no longer). */
export function SignIn({ why }: { why: SignedOut }) {
  const { t } = useI18n()
  return (
    <main className={css.page}>
      <div className={css.card}>
        <Seal size="large" />
        <h1 className={css.title}>{t('signIn.title')}</h1>
        <p>{t(`signIn.${why}`)}</p>
        <div className={css.command}>
          <code translate="no">{command}</code>
          <CopyButton text={command} label={t('common.copy')} done={t('common.copied')} />
        </div>
        <p className={css.note}>{t('signIn.note')}</p>
        <LatePreferences />
      </div>
    </main>
  )
}
