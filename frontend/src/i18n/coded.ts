import type { words } from './codes/en'
import { i18nWith } from './i18n'

/** The person's language with the words of the desk's codes, which are there once it is coded. */
export const useCoded = i18nWith<typeof words>()
