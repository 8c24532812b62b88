import { i18nWith } from '../../i18n/i18n'
import type { words } from './words/en'

/** The screen as the page knows it: its name in the address and the navigation, and what is loaded when it is opened. */
export const screen = {
  name: 'rules',
  title: { en: 'Rules', ja: 'ルール', 'zh-TW': '規則', ru: 'Правила' },
  load: () => import('./rules-screen').then(({ RulesScreen }) => RulesScreen),
  words: {
    en: () => import('./words/en'),
    ja: () => import('./words/ja'),
    'zh-TW': () => import('./words/zh-tw'),
    ru: () => import('./words/ru'),
  },
} as const

export const useI18n = i18nWith<typeof words>()
