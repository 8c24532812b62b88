import { useI18n } from '../i18n/i18n'
import { Seal } from '../ui/seal'
import { FaceLine } from './face-line'
import css from './navigation.module.css'
import { Preferences } from './preferences'
import { screens, type ScreenName } from './screens'

/** The way around: the rooms of the desk, how many calls wait, language and appearance. */
export function Navigation({ screen, waiting }: { screen: ScreenName; waiting: number }) {
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
        <Preferences />
        <FaceLine />
      </footer>
    </div>
  )
}
