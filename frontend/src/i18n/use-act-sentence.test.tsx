import { render } from '@testing-library/react'
import { beforeAll, describe, expect, it } from 'vitest'
import { sampleSummary } from '../test/looks'
import type { Language } from './catalogue'
import { I18nProvider } from './i18n'
import { useActSentence, type SaidCall } from './use-act-sentence'
import { codeWords, loadFirstWords, loadWords } from './words'

function Said({ call, alone }: { call: SaidCall; alone: boolean }) {
  const { act, sentence } = useActSentence((text, as) => <code data-as={as}>{text}</code>)
  return <p>{alone ? act(call) : sentence('claude-code', call)}</p>
}

function said(part: Parameters<typeof sampleSummary>[0] | null, { language = 'en', alone = false, cwd = null }: { language?: Language; alone?: boolean; cwd?: string | null } = {}) {
  const call = { summary: part && sampleSummary(part), cwd, toolName: 'write_file', serverId: 'fs' }
  const { container } = render(
    <I18nProvider first={language}>
      <Said call={call} alone={alone} />
    </I18nProvider>,
  )
  return container.textContent
}

const changed = { code: 'changes_file', params: { path: '/work/notes.txt', added: 2, removed: 1 } } as const
const ran = {
  code: 'runs',
  params: { count: 2, more: 0 },
  programs: [
    { program: 'git', effects: ['reads'] },
    { program: 'curl', effects: ['sends', 'writes'] },
  ],
} as const

beforeAll(async () => {
  for (const language of ['ja', 'zh-TW', 'ru'] as const) {
    await loadFirstWords(language)
    await loadWords(codeWords, language)
  }
})

describe('the sentence of a call', () => {
  it.each([
    ['en', 'claude-code wants to change notes.txt, +2 −1', 'claude-code wants to run 2 programs: git reads, curl sends and writes a file'],
    ['ja', 'claude-code は notes.txt（+2 −1）を変更することを求めています', 'claude-code は 2 個のプログラム（git（読み取り）、curl（送信、ファイルに書き込み））を実行することを求めています'],
    ['zh-TW', 'claude-code 想要變更 notes.txt，+2 −1', 'claude-code 想要執行 2 個程式：git（讀取）、curl（傳送和寫入檔案）'],
    ['ru', 'claude-code хочет изменить notes.txt, +2 −1', 'claude-code хочет запустить 2 программы: git — читает, curl — отправляет и записывает файл'],
  ] as const)('has the word order of %s', (language, file, programs) => {
    expect(said(changed, { language, cwd: '/work' })).toBe(file)
    expect(said({ ...ran, programs: [...ran.programs.map((p) => ({ ...p, effects: [...p.effects] }))] }, { language })).toBe(programs)
  })

  it('counts in Russian', () => {
    const of = (count: number) => said({ ...ran, programs: [], params: { count, more: 0 } }, { language: 'ru', alone: true })
    expect([of(1), of(2), of(5), of(21)]).toEqual(['запустить 1 программу: ', 'запустить 2 программы: ', 'запустить 5 программ: ', 'запустить 21 программу: '])
  })

  it('says that a part of a line is not known, and what the programs do that are left out', () => {
    const part = { ...ran, code: 'runs_unclear', programs: [{ program: '', effects: ['writes' as const] }], rest: ['reads' as const], params: { count: 3, more: 2 } } as const
    expect(said({ ...part, programs: [...part.programs.map((p) => ({ ...p, effects: [...p.effects] }))], rest: [...part.rest] }, { alone: true })).toBe(
      'run something that its text does not tell; besides: the shell writes a file, 2 more (reads)',
    )
  })

  it('says a summary of tomorrow in the words of the desk', () => {
    expect(said({ code: 'of_tomorrow' as 'calls', text: 'does more' }, { alone: true })).toBe('does more')
  })

  it('names one file, and counts several', () => {
    const of = (count: number) => said({ code: 'reads_files', params: { tool: 'read_file', path: 'a.txt', count } }, { alone: true })
    expect([of(1), of(3)]).toEqual(['read a.txt with read_file', 'read 3 files with read_file, the first of them a.txt'])
  })

  it('can go without who asks', () => {
    expect(said(changed, { alone: true })).toBe('change /work/notes.txt, +2 −1')
  })

  it('says the tool where nothing else is known', () => {
    expect(said(null)).toBe('claude-code wants to run write_file on fs')
  })

  it.each([
    ['/work', '/work/a/notes.txt', 'a/notes.txt'],
    ['/work/', '/work/notes.txt', 'notes.txt'],
    ['/work', '/workshop/notes.txt', '/workshop/notes.txt'],
    ['/work', '/work/../etc/passwd', '/work/../etc/passwd'],
    ['/work', '/work//etc/passwd', '/work//etc/passwd'],
    ['/', '/etc/passwd', '/etc/passwd'],
    ['/work', '/work', '/work'],
    [String.raw`C:\work`, String.raw`C:\work\notes.txt`, 'notes.txt'],
  ])('writes from %s the path %s as %s', (cwd, path, shown) => {
    expect(said({ ...changed, params: { ...changed.params, path } }, { cwd, alone: true })).toBe(`change ${shown}, +2 −1`)
  })
})
