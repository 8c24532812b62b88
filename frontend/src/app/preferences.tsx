import { useState } from 'react'
import { languageNames, languages } from '../i18n/catalogue'
import { useI18n } from '../i18n/i18n'
import { Select } from '../ui/select'
import { applyTheme, storedTheme, themes } from './theme'
import css from './preferences.module.css'

/** Language and appearance of this page, which it keeps by itself: other pages of the desk have their own. */
export function Preferences() {
  const { t, language, setLanguage } = useI18n()
  const [theme, setTheme] = useState(storedTheme)
  return (
    <div className={css.preferences}>
      <Select small label={t('settings.language')} value={language} options={languages.map((l) => [l, languageNames[l]])} onChange={setLanguage} />
      <Select
        small
        label={t('settings.theme')}
        value={theme}
        options={themes.map((name) => [name, t(`theme.${name}`)])}
        onChange={(next) => {
          applyTheme(next)
          setTheme(next)
        }}
      />
    </div>
  )
}
