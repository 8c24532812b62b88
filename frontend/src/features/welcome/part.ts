import { i18nWith } from '../../i18n/i18n'
import type { words } from './words/en'

/** The welcome of a new desk: what is loaded when nothing waits. */
export const part = {
  load: () => import('./welcome').then(({ Welcome }) => Welcome),
  words: {
    en: () => import('./words/en'),
    ja: () => import('./words/ja'),
    'zh-TW': () => import('./words/zh-tw'),
    ru: () => import('./words/ru'),
  },
} as const

/** What the welcome shows after the first call: it is loaded by itself, with the queries. */
export const firstRule = {
  load: () => import('./first-rule').then(({ FirstRule }) => FirstRule),
  words: part.words,
} as const

export const useI18n = i18nWith<typeof words>()
