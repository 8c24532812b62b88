import { describe, expect, expectTypeOf, it } from 'vitest'
import { languages, type Language, type Plural } from './catalogue'
import { parts } from './format'
import native from './native.json'

type Words = (typeof native)['en']
type Complete = { readonly [K in keyof Words]: Words[K] extends string ? string : Plural }

const forms = (message: string | object): string[] => (typeof message === 'string' ? [message] : Object.values(message).map(String))
const places = (message: string) => parts(message).filter((_, i) => i % 2 === 1).sort()

// The words that the desktop shows outside of the page: its notification and its tray.
describe.each(languages)('the native words in %s', (language) => {
  const words: Complete = native[language]
  const keys = Object.keys(native.en) as (keyof Words)[]

  it('are complete, and none is empty', () => {
    expect(Object.keys(words).sort()).toEqual([...keys].sort())
    for (const key of keys) for (const text of forms(words[key])) expect(text.trim(), key).not.toBe('')
  })

  it('fill the same places as the English ones', () => {
    for (const key of keys) {
      const wanted = places(String(forms(native.en[key])[0]))
      for (const text of forms(words[key])) expect(places(text), key).toEqual(wanted)
    }
  })

  it('have exactly the plural forms that numbers need', () => {
    const needed = new Set(['other', ...Array.from({ length: 200 }, (_, n) => new Intl.PluralRules(language).select(n))])
    for (const key of keys) {
      if (typeof native.en[key] !== 'string') expect(Object.keys(words[key]).sort(), key).toEqual([...needed].sort())
    }
  })

  it('are translated', () => {
    if (language !== 'en') expect(keys.filter((key) => JSON.stringify(words[key]) === JSON.stringify(native.en[key]))).toEqual([])
  })
})

it('the languages are those of the page', () => {
  expect(Object.keys(native)).toEqual([...languages])
  expectTypeOf(native).toExtend<Record<Language, Complete>>()
})
