import { describe, expect, it } from 'vitest'
import { allWords } from '../test/words'
import { languages, type Language, type Message } from './catalogue'
import native from './native.json'

const texts = (message: Message = '') => (typeof message === 'string' ? [message] : Object.values(message))

/** What a term of ours would be taken for, or is called elsewhere on the page: the desk, hold, risk, Git's own files, hooks. */
const strays: Record<Language, readonly RegExp[]> = {
  en: [/^Let (it|them) go$/],
  ja: [/危険度/, /Git (の管理|管理外)/, /一時停止中です。確認/],
  'zh-TW': [/櫃檯/, /審核台/, /命令(?!列)/, /掛鉤/, /暫停放行/],
  ru: [/(?<!\p{L})стол(а|у|е|ом)?(?!\p{L})/iu, /перехватчик/, /(?<!\p{L})уз(ел|ла|лы|лах)(?!\p{L})/u, /Сессия/, /под вопросом/i],
}

/** The messages that speak of hold, and the word for it. */
const onHold = ['hold.short', 'hold.switch', 'hold.on', 'grants.hold', 'why.hold', 'why.settings_damaged', 'approval.mode.bypassPermissions', 'settings.readsLead', 'rules.reachLead']
const hold: Record<Language, RegExp> = { en: /h[oe]ld/i, ja: /保留/, 'zh-TW': /攔下/, ru: /задерж/i }

/** Words that are said of a person's answer alone: a rule allows and denies, and the definition of a tool is accepted. */
const machine: Record<Exclude<Language, 'en'>, readonly [keys: readonly string[], not: RegExp][]> = {
  ja: [[['flag.blocked', 'rules.formMethodAny', 'approval.mode.bypassPermissions'], /拒否/], [['servers.acceptAll', 'servers.allText', 'servers.allConfirm', 'servers.accepted', 'servers.tooLong', 'servers.folded', 'servers.allAgain'], /承認/]],
  'zh-TW': [[['flag.blocked', 'rules.formMethodAny', 'approval.mode.bypassPermissions'], /拒絕/], [['servers.acceptAll', 'servers.allText', 'servers.accepted'], /核准/]],
  ru: [[['flag.blocked', 'rules.formMethodAny'], /отклон/i], [['rules.release'], /[Пп]ропустить/]],
}

describe.each(languages)('the terms of %s', (language) => {
  const words = allWords[language]
  const all = Object.entries({ ...words, ...Object.fromEntries(Object.entries(native[language]).map(([key, text]) => [`native.${key}`, text as Message])) })

  it('are not called otherwise anywhere', () => {
    const found = all.flatMap(([key, message]) => texts(message).flatMap((text) => (strays[language].some((stray) => stray.test(text)) ? [`${key}: ${text}`] : [])))
    expect(found).toEqual([])
  })

  it('say hold alike', () => {
    for (const key of onHold) for (const text of texts(words[key])) expect(text, key).toMatch(hold[language])
  })

  it('tell what a rule does from what a person answers', () => {
    if (language === 'en') return
    for (const [keys, not] of machine[language]) for (const key of keys) for (const text of texts(words[key])) expect(text, key).not.toMatch(not)
  })
})

describe('what is said right before an answer', () => {
  it('is that a call of a workspace is confined in its access to files only, and what letting calls pass does', () => {
    expect(allWords.en['place.files']).toBe('Only its access to files is confined')
    expect(allWords.en['rules.release']).toEqual({ one: 'Approve it', other: 'Approve them' })
    expect(allWords.ja['why.no_client']).toMatch(/^承認されました/)
    expect(allWords.ru['part.beside']).toContain('помимо них')
  })
})
