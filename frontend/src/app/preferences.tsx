import { useState, type ReactNode } from 'react'
import { languageNames, languages, type Language } from '../i18n/catalogue'
import { useI18n } from '../i18n/i18n'
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
      <Select label={t('settings.language')} value={language} options={languages.map((l) => [l, languageNames[l]])} onChange={choose} />
      <Select
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

interface SelectProps<T extends string> {
  label: string
  value: T
  options: readonly (readonly [T, string])[]
  onChange: (value: T) => void
}

function Select<T extends string>({ label, value, options, onChange }: SelectProps<T>): ReactNode {
  return (
    <label className={css.select}>
      <span className={css.label}>{label}</span>
      <select
        value={value}
        onChange={(e) => {
          const chosen = options.find(([name]) => name === e.currentTarget.value)
          if (chosen) onChange(chosen[0])
        }}
      >
        {options.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}
