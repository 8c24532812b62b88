import type { Language, Message } from '../i18n/catalogue'
import { fill, pick, type Values } from '../i18n/format'

type Words = Record<string, Message>

const files = import.meta.glob<Words>(['../i18n/{en,ja,ru,zh-tw}.ts', '../i18n/codes/*.ts', '../features/*/words/*.ts'], { eager: true, import: 'words' })

const of = (file: string): Words =>
  Object.assign({}, ...Object.entries(files).flatMap(([path, words]) => (path.endsWith(`/${file}.ts`) ? [words] : [])))

/** All words of the page, those of every screen, by language. */
export const allWords: Record<Language, Words> = { en: of('en'), ja: of('ja'), 'zh-TW': of('zh-tw'), ru: of('ru') }

/** A message of any screen. */
export function say(language: Language, key: string, values: Values = {}): string {
  return fill(pick(allWords[language][key] ?? '', language, values.count), language, values)
}
