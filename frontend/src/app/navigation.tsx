import { useId, useRef } from 'react'
import { useI18n } from '../i18n/i18n'
import { Check } from '../ui/check'
import { Seal } from '../ui/seal'
import { FaceLine } from './face-line'
import css from './navigation.module.css'
import { screens } from './screens'
import { SwitchLabel } from './switch-label'
import type { Switch } from './use-switches'

interface Props {
  /** The name of the screen that is open. */
  screen: string
  /** How many calls wait; empty for none. */
  waiting: string
  hold: Switch
  quiet: Switch
}

/** The way around: the rooms of the desk, how many calls wait, holding everything. In a small window the rooms are behind a button. */
export function Navigation({ screen, waiting, hold, quiet }: Props) {
  const { t, language } = useI18n()
  const id = useId()
  const menu = useRef<HTMLDivElement>(null)
  const here = screens.find(({ name }) => name === screen) ?? screens[0]
  return (
    <div className={css.side}>
      <header className={css.brand}>
        <Seal />
        <span className={css.name} translate="no">
          Sekisho
        </span>
      </header>
      <button className={css.menuButton} type="button" popoverTarget={id}>
        <span className="visually-hidden">{t('nav.label')}: </span>
        {here.title[language]}
        {waiting !== '' && <span className={css.count}>{waiting}</span>}
        <span aria-hidden="true">▾</span>
      </button>
      <div ref={menu} className={css.menu} id={id} popover="auto">
        <nav
          aria-label={t('nav.label')}
          onClick={() => {
            menu.current?.hidePopover() // nothing happens where it is not open
          }}
        >
          <ul className={css.list}>
            {screens.map(({ name, title }) => (
              <li key={name}>
                <a className={css.link} href={`#/${name}`} aria-current={name === screen ? 'page' : undefined}>
                  <span>{title[language]}</span>
                  {name === 'waiting' && waiting !== '' && <span className={css.count}>{waiting}</span>}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      </div>
      <footer className={css.foot}>
        {hold.pressed !== null && (
          <div>
            <Check label={<SwitchLabel whole={t('hold.switch')} short={t('hold.short')} />} checked={hold.pressed} onChange={hold.set} shortcut="Control+Shift+H" />
            <kbd className={css.key} translate="no">
              Ctrl+Shift+H
            </kbd>
          </div>
        )}
        {quiet.pressed !== null && <Check label={<SwitchLabel whole={t('quiet.switch')} short={t('quiet.short')} />} checked={quiet.pressed} onChange={quiet.set} />}
        <FaceLine />
      </footer>
    </div>
  )
}
