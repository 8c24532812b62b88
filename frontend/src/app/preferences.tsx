import { useState } from 'react'
import { languageNames, languages, type Language } from '../i18n/catalogue'
import { useI18n } from '../i18n/i18n'
import { Select } from '../ui/select'
import { applyTheme, storedTheme, themes } from './theme'
import css from './preferences.module.css'

interface PreferencesProps {
  /** Hears of another language: what the system shows speaks it too. */
  onLanguage?: (language: Language) => void
}

/** Language and appearance. */
export function Preferences({ onLanguage }: PreferencesProps) {
  const { t, language, setLanguage } = useI18n()
  const [theme, setTheme] = useState(storedTheme)
  const choose = (next: Language) => {
    setLanguage(next)
    onLanguage?.(next)
  }
  return (
    <div className={css.preferences}>
      <Select small label={t('settings.language')} value={language} options={languages.map((l) => [l, languageNames[l]])} onChange={choose} />
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
