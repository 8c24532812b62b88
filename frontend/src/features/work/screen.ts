import { i18nWith } from '../../i18n/i18n'
import type { words } from './words/en'

/** The screen as the page knows it: its name in the address and the navigation, and what is loaded when it is opened. */
export const screen = {
  name: 'work',
  title: { en: 'Work', ja: '作業', 'zh-TW': '工作', ru: 'Работа' },
  load: () => import('./work-screen').then(({ WorkScreen }) => WorkScreen),
  words: {
    en: () => import('./words/en'),
    ja: () => import('./words/ja'),
    'zh-TW': () => import('./words/zh-tw'),
    ru: () => import('./words/ru'),
  },
} as const

export const useI18n = i18nWith<typeof words>()
