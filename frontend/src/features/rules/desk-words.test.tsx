import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { render } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { I18nProvider } from '../../i18n/i18n'
import { allWords, say } from '../../test/words'
import { FindingList } from './finding-list'
import { byRule, shadowed } from './findings'
import { jsonFault } from './json-fault'
import { RulesProvider } from './rules-context'
import { whyText } from './trace-words'

const backend = (path: string) => readFileSync(join(process.cwd(), '../backend', path), 'utf8')
const t = (key: string, values = {}) => say('en', key, values)

describe('the desk’s own words', () => {
  const said = [...backend('policy/question.go').matchAll(/^\tpermission\.Trace\w+: +"(.+)",$/gm)].map(([, words]) => words ?? '')

  it('for why a rule applied or not are all known to us', () => {
    expect(said.length).toBeGreaterThan(8)
    for (const words of said)
      expect(whyText(t, `${words}${words.endsWith(': ') ? 'no such key' : ''}`), words).toSatisfy((ours: string) =>
        Object.values(allWords.en).some((message) => typeof message === 'string' && message.replace('{message}', 'no such key') === ours),
      )
    expect(whyText(t, 'condition failed: no such key: a')).toBe('its condition failed: no such key: a')
    expect(whyText(t, 'of a newer desk')).toBe('of a newer desk')
  })

  it('for what is odd about a rule are all known to us', () => {
    const kinds = [...backend('permission/review.go').matchAll(/^\tFinding\w+ +FindingKind = "(\w+)"$/gm)].map(([, kind]) => kind ?? '')
    expect(kinds.length).toBeGreaterThan(6)
    for (const kind of kinds) {
      const { container, unmount } = show({ ruleId: 'a', kind, by: 'b', message: 'in the words of the desk' })
      expect(container.textContent, kind).not.toContain('in the words of the desk')
      unmount()
    }
    expect(show({ ruleId: 'a', kind: 'newer', by: null, message: 'in the words of the desk' }).container.textContent).toContain(
      'in the words of the desk',
    )
  })

  it('for why a rule decides nothing without one rule in its way are all known to us', () => {
    const issue = 'holds: oddities (U+200B)'
    const only = 'only a deny rule decides calls with such a name'
    const said = [
      { words: `the server name ${issue}: ${only}`, issue },
      { words: `the tool name ${issue}: ${only}`, issue },
      { words: 'stronger rules decide every spelling of the one name that this rule applies to', issue: '' },
    ]
    const ours = said.map(({ words, issue }) => {
      const { container, unmount } = show({ ruleId: 'a', kind: 'unreachable', by: null, message: words })
      const text = container.textContent
      unmount()
      expect(text).toMatch(/^Never decides: /)
      expect(text).not.toContain(words)
      expect(text).not.toContain('another rule')
      expect(text).toContain(issue)
      return text
    })
    expect(new Set(ours).size).toBe(3)
    for (const kind of ['unreachable', 'duplicate', 'conflict'])
      expect(show({ ruleId: 'a', kind, by: null, message: 'of a newer desk' }).container.textContent).toBe('of a newer desk')
  })

  function show(finding: Parameters<typeof FindingList>[0]['findings'][number]) {
    const around = {
      rules: [],
      known: new Map(),
      policyVersion: '1',
      changed: () => Promise.resolve(),
      offer: () => undefined,
      go: () => undefined,
    }
    return render(
      <I18nProvider>
        <RulesProvider value={around}>
          <FindingList findings={[finding]} />
        </RulesProvider>
      </I18nProvider>,
    )
  }
})

describe('findings', () => {
  const finding = (ruleId: string, kind: string, by: string | null = null) => ({ ruleId, kind, by, message: '' })
  const all = [
    finding('a', 'unreachable', 'x'),
    finding('a', 'duplicate', 'x'),
    finding('b', 'unreachable', 'x'),
    finding('b', 'duplicate', 'y'),
    finding('c', 'conflict', 'x'),
    finding('c', 'no_star'),
  ]

  it('do not say of a duplicate that it is hidden by its twin', () => {
    expect([...byRule(all)].map(([id, list]) => [id, ...list.map(({ kind }) => kind)])).toEqual([
      ['a', 'duplicate'],
      ['b', 'unreachable', 'duplicate'],
      ['c', 'conflict', 'no_star'],
    ])
  })

  it('are told both where one of them is about no other rule', () => {
    expect(
      byRule([finding('a', 'unreachable'), finding('a', 'duplicate', 'x'), finding('b', 'unreachable'), finding('b', 'duplicate')]),
    ).toEqual(
      new Map([
        ['a', [finding('a', 'unreachable'), finding('a', 'duplicate', 'x')]],
        ['b', [finding('b', 'unreachable'), finding('b', 'duplicate')]],
      ]),
    )
  })

  it('tell the rules that never decide', () => {
    expect([...shadowed(all)]).toEqual(['a', 'b'])
  })
})

describe('a text', () => {
  it.each([
    ['{"a": [1, 2.50, -0e9]}', null],
    ['  null ', null],
    ['{"path":\n  oops}', { line: 2, column: 3 }],
    ['', { line: 1, column: 1 }],
    ['{"a":1} x', { line: 1, column: 9 }],
    ['["a\n"]', { line: 1, column: 4 }],
  ])('%j is JSON up to %j', (text, fault) => {
    expect(jsonFault(text)).toEqual(fault)
  })
})
