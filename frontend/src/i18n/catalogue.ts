import type { en } from './en'

/** The forms of a counted message, by the plural categories of Intl.PluralRules. */
export type Plural = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }

export type MessageKey = keyof typeof en

/** A complete catalogue: every key of English, counted where English is counted. */
export type Catalogue = { readonly [K in MessageKey]: (typeof en)[K] extends string ? string : Plural }

export const languages = ['en', 'ja', 'zh-TW', 'ru'] as const

export type Language = (typeof languages)[number]

/** The languages in their own words. */
export const languageNames: Record<Language, string> = { en: 'English', ja: '日本語', 'zh-TW': '繁體中文', ru: 'Русский' }
