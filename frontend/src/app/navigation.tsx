import { useI18n } from '../i18n/i18n'
import { Check } from '../ui/check'
import { Seal } from '../ui/seal'
import { FaceLine } from './face-line'
import css from './navigation.module.css'
import { Preferences } from './preferences'
import { screens, type ScreenName } from './screens'
import type { Hold } from './use-hold'

interface Props {
  screen: ScreenName
  waiting: number
  hold: Hold
}

/** The way around: the rooms of the desk, how many calls wait, holding everything, language and appearance. */
export function Navigation({ screen, waiting, hold }: Props) {
  const { t } = useI18n()
  return (
    <div className={css.side}>
      <header className={css.brand}>
        <Seal />
        <span className={css.name} translate="no">
          Sekisho
        </span>
      </header>
      <nav aria-label={t('nav.label')}>
        <ul className={css.list}>
          {screens.map((name) => (
            <li key={name}>
              <a className={css.link} href={`#/${name}`} aria-current={name === screen ? 'page' : undefined}>
                <span>{t(`nav.${name}`)}</span>
                {name === 'waiting' && waiting > 0 && <span className={css.count}>{waiting}</span>}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <footer className={css.foot}>
        {hold.pressed !== null && <Check label={t('hold.switch')} checked={hold.pressed} onChange={hold.set} />}
        <Preferences />
        <FaceLine />
      </footer>
    </div>
  )
}
