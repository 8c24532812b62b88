import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { act, fireEvent, render, screen } from '@testing-library/react'
import { useEffect } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { allWords, say } from '../test/words'
import { languages, type Message } from './catalogue'
import { errorText, wordFor } from './error-text'
import { fill, parts, write } from './format'
import { I18nProvider, useI18n } from './i18n'
import { firstLanguage, fromBrowser, storeLanguage } from './language'
import { moment, When } from './when'

const { en } = allWords
const keys = Object.keys(en)
const forms = (message: Message = '') => (typeof message === 'string' ? [message] : Object.values(message))
const places = (message: string) => parts(message).filter((_, i) => i % 2 === 1).sort()

describe.each(languages)('the catalogue %s', (language) => {
  it('has every key and no other, none empty', () => {
    expect(Object.keys(allWords[language]).sort()).toEqual([...keys].sort())
    for (const key of keys) for (const text of forms(allWords[language][key])) expect(text.trim(), key).not.toBe('')
  })

  it('fills the same places as English', () => {
    for (const key of keys) {
      const wanted = places(forms(en[key])[0] ?? '')
      for (const text of forms(allWords[language][key])) expect(places(text), key).toEqual(wanted)
    }
  })

  it('has each plural form that its numbers need', () => {
    const needed = new Set(Array.from({ length: 200 }, (_, n) => new Intl.PluralRules(language).select(n)))
    for (const key of keys) {
      const message = allWords[language][key] ?? ''
      if (typeof message !== 'string') for (const category of needed) expect(Object.keys(message), key).toContain(category)
    }
  })

  it('is translated', () => {
    if (language === 'en') return
    const same = keys.filter((key) => JSON.stringify(allWords[language][key]) === JSON.stringify(en[key]))
    expect(same).toEqual(['waiting.tab'].filter((key) => same.includes(key)))
  })
})

describe('every key', () => {
  it('is used somewhere', () => {
    const files = readdirSync(join(process.cwd(), 'src'), { recursive: true, encoding: 'utf8' }).filter(
      (f) => /\.tsx?$/.test(f) && !/(i18n|words)\//.test(f) && !f.includes('.test.'),
    )
    const source = [
      ...files,
      'i18n/use-diff-words.ts',
      'i18n/use-flag-words.tsx',
      'i18n/past-words.tsx',
      'i18n/use-coverage-words.tsx',
      'i18n/use-clause-words.tsx',
      'i18n/use-code-words.tsx',
      'i18n/use-caller-words.tsx',
      'i18n/use-limit-words.ts',
      'i18n/use-summary-words.tsx',
      'i18n/use-act-sentence.tsx',
      'i18n/method-word.ts',
      'i18n/use-difference.ts',
      'i18n/use-envelope-words.ts',
      'i18n/use-json-words.ts',
      'i18n/error-text.ts',
      'i18n/when.tsx',
    ]
      .map((f) => readFileSync(join(process.cwd(), 'src', f), 'utf8'))
      .join('\n')
    const open =
      /^(caller\.(role|purpose)|clause|part|coverage|past|effect|risk|riskReason|act|does|why|field|theme|face|signIn|status|error|activity\.by|activity\.scope|activity\.fate|rules\.(must|lint|why|reach|reachSum|reachWhy|narrower|lintBy|filter|would|instead|undone|import|suggest|unsafe|pastUnread|narrow)|servers|flag|work\.(state|result|talks)|apps\.(state|step|why|checkState|checkText|fault|restart|stage|proof|tools|unasked)|grants\.upTo|place|settings\.(deadline|window|keep|reads)|welcome|shape\.(file|fileWhy))\./ // chosen by a value
    expect(keys.filter((key) => !open.test(key) && !source.includes(`'${key}'`))).toEqual([])
  })
})

describe('every code of the API', () => {
  interface Set {
    enum?: string[]
    properties?: Record<string, Set>
  }
  const document = JSON.parse(readFileSync(join(process.cwd(), 'openapi.json'), 'utf8')) as { components: { schemas: Record<string, Set> } }

  it.each([['RiskCode', 'riskReason'], ['SummaryCode', 'act'], ['PartEffect', 'does'], ['ReasonCode', 'why'], ['FieldCode', 'field'], ['TraceCode', 'rules.why'], ['FindingCode', 'rules.lint'], ['ReachCode', 'rules.reachWhy'], ['ClientFault.code', 'apps.fault']])('of %s has words', (schema, prefix) => {
    const [name = '', property] = schema.split('.')
    const found = document.components.schemas[name]
    const codes = (property === undefined ? found : found?.properties?.[property])?.enum ?? []
    expect(codes.length).toBeGreaterThan(0)
    expect(keys.filter((key) => key.startsWith(`${prefix}.`)).sort()).toEqual(codes.map((code) => `${prefix}.${code}`).sort())
  })
})

describe('format', () => {
  it.each([
    ['ru', 1, '1 вызов ждёт вашего решения'],
    ['ru', 3, '3 вызова ждут вашего решения'],
    ['ru', 11, '11 вызовов ждут вашего решения'],
    ['ru', 21, '21 вызов ждёт вашего решения'],
    ['en', 1, '1 call is waiting for you'],
    ['en', 0, '0 calls are waiting for you'],
  ] as const)('counts in %s: %i', (language, count, text) => {
    expect(say(language, 'waiting.bar', { count })).toBe(text)
  })

  it('writes numbers the language’s way and leaves unknown places', () => {
    expect(fill('{count} of {x}', 'en', { count: 12345 })).toBe('12,345 of {x}')
    for (const language of languages) expect([0, 7, 42, 999, 1000, -1, 0.5].map((n) => write(n, language))).toEqual([0, 7, 42, 999, 1000, -1, 0.5].map((n) => new Intl.NumberFormat(language).format(n)))
  })

  it('writes the day only when it is not today', () => {
    const now = new Date(2026, 4, 6, 15, 0)
    expect(moment(new Date(2026, 4, 6, 14, 2, 9).toISOString(), 'en', now)).toMatch(/^2:02:09/)
    expect(moment(new Date(2026, 4, 5, 14, 2).toISOString(), 'en', now)).toMatch(/May 5, 2026/)
    expect(moment('not a time', 'en', now)).toBe('not a time')
  })
})

describe('a moment', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: new Date(2026, 4, 6, 23, 59, 30) })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('has its day as soon as it is of yesterday, on a page that stays open over midnight', () => {
    const at = new Date(2026, 4, 6, 14, 2, 9).toISOString()
    render(<I18nProvider><When at={at} /><When at={at} /></I18nProvider>)
    const times = () => screen.getAllByRole('time').map(({ textContent }) => textContent)
    for (const text of times()) expect(text).toMatch(/^2:02:09/)
    act(() => {
      vi.advanceTimersByTime(60_000)
    })
    for (const text of times()) expect(text).toMatch(/May 6, 2026/)
  })

  it('has its day once a machine wakes that slept over midnight', () => {
    render(<I18nProvider><When at={new Date(2026, 4, 6, 14, 2, 9).toISOString()} /></I18nProvider>)
    vi.setSystemTime(new Date(2026, 4, 8, 9, 0))
    act(() => {
      document.dispatchEvent(new Event('visibilitychange'))
    })
    expect(screen.getByRole('time').textContent).toMatch(/May 6, 2026/)
  })
})

describe('the language', () => {
  it.each([
    [['ja-JP', 'en'], 'ja'],
    [['zh-Hant-TW'], 'zh-TW'],
    [['de', 'ru-RU'], 'ru'],
    [['de', 'fr'], null],
    [['zh-HK'], 'zh-TW'],
    [['zh-MO', 'en'], 'zh-TW'],
    [['zh-CN', 'zh', 'ja'], 'ja'],
    [['zh-CN', 'zh'], null],
    [['zh-Hans-SG', 'ru'], 'ru'],
    [['zh-Hans-TW'], null],
    [['zh_', 'ru'], 'ru'],
  ])('of a browser that wants %j is %s', (wanted, language) => {
    expect(fromBrowser(wanted)).toBe(language)
  })

  it('is kept, and said in <html lang> before what it is spoken in is drawn', async () => {
    const drawn: string[] = []
    function Switch() {
      const { t, language, setLanguage } = useI18n()
      useEffect(() => {
        drawn.push(`${language} in ${document.documentElement.lang}`)
      }, [language])
      return <button onClick={() => { setLanguage('ja') }}>{t('risk.high')}</button>
    }
    render(<I18nProvider><Switch /></I18nProvider>)
    expect(document.documentElement.lang).toBe('en')
    fireEvent.click(screen.getByRole('button', { name: 'High risk' }))
    await screen.findByRole('button', { name: '高リスク' })
    expect(drawn).toEqual(['en in en', 'ja in ja'])
    expect(firstLanguage()).toBe('ja')
    storeLanguage('ru')
    expect(firstLanguage()).toBe('ru')
  })
})

describe('errors', () => {
  const t = (key: string, values = {}) => say('en', key, values)

  it('are told in our words, or in the desk’s', () => {
    expect(errorText(t, { code: 'stale', message: 'x' })).toBe('The call changed while you answered. Look again.')
    expect(errorText(t, { code: 'result_conflict', message: 'another result' })).toBe('The desk says: another result')
    expect(errorText(t, { code: 'toString', message: '' })).toBe('The desk says: toString')
  })

  it('leave words alone that we do not know', () => {
    expect(wordFor(t, 'status', 'on_fire')).toBe('on_fire')
    expect(wordFor(t, 'status', 'claimed')).toBe('Running')
  })
})
