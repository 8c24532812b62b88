import { createContext, Fragment, use, useEffect, useMemo, useState, type ReactNode } from 'react'
import type { Catalogue, Language, MessageKey } from './catalogue'
import { en } from './en'
import { fill, parts, pick, write, type Values } from './format'
import { ja } from './ja'
import { firstLanguage, storeLanguage } from './language'
import { ru } from './ru'
import { zhTW } from './zh-tw'

export const catalogues: Record<Language, Catalogue> = { en, ja, 'zh-TW': zhTW, ru }

export interface I18n {
  language: Language
  setLanguage: (language: Language) => void
  /** A message as text. */
  t: (key: MessageKey, values?: Values) => string
  /** A message with elements in its places. */
  tx: (key: MessageKey, values: Record<string, ReactNode>) => ReactNode
}

const I18nContext = createContext<I18n | null>(null)

/** Speaks the person's language to everything below, and says which in <html lang>. */
export function I18nProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(firstLanguage)
  useEffect(() => {
    document.documentElement.lang = language
  }, [language])
  const i18n = useMemo(() => {
    const choose = (next: Language) => {
      storeLanguage(next)
      setLanguage(next)
    }
    return speak(language, choose)
  }, [language])
  return <I18nContext value={i18n}>{children}</I18nContext>
}

function speak(language: Language, setLanguage: (language: Language) => void): I18n {
  const messages = catalogues[language]
  return {
    language,
    setLanguage,
    t: (key, values = {}) => fill(pick(messages[key], language, values.count), language, values),
    tx: (key, values) =>
      parts(pick(messages[key], language, values.count)).map((part, i) => {
        const value = i % 2 === 0 ? part : values[part]
        return <Fragment key={i}>{typeof value === 'number' ? write(value, language) : value}</Fragment>
      }),
  }
}

/** The person's language. */
export function useI18n(): I18n {
  const i18n = use(I18nContext)
  if (!i18n) throw new Error('useI18n stands outside of I18nProvider')
  return i18n
}
