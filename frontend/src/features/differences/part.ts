import { i18nWith } from '../../i18n/i18n'
import type { words } from './words/en'

/** The panel of what is not as the journal says: what is loaded when something is wrong with what the desk keeps. */
export const part = {
  load: () => import('./differences-panel').then(({ DifferencesPanel }) => DifferencesPanel),
  words: {
    en: () => import('./words/en'),
    ja: () => import('./words/ja'),
    'zh-TW': () => import('./words/zh-tw'),
    ru: () => import('./words/ru'),
  },
} as const

export const useI18n = i18nWith<typeof words>()
