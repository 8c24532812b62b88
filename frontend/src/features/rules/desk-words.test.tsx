import { render } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { I18nProvider } from '../../i18n/i18n'
import { addWords } from '../../i18n/words'
import { sampleFinding } from '../../test/samples'
import { allWords } from '../../test/words'
import { FindingList } from './finding-list'
import { byRule, shadowed } from './findings'
import { jsonFault } from './json-fault'
import { RulesProvider } from './rules-context'

addWords('en', allWords.en)

const said = (code: string, params: Record<string, string> = {}) => ({ code, params, message: 'in the words of the desk' })

describe('what is odd about a rule', () => {
  it('is said in our words', () => {
    const issue = 'name_invisible'
    expect(text({ ...said('unreachable_bad_name', { issue, character: 'U+200B' }), ruleId: 'a', kind: 'unreachable', by: null })).toBe(
      'Never decides: only Deny applies to a bad name. A name in this call holds an invisible character (U+200B).',
    )
    expect(text({ ...said('unreachable_spelled_out'), ruleId: 'a', kind: 'unreachable', by: null })).toMatch(/^Never decides: for every spelling/)
  })

  it('is said in those of the desk where we have none', () => {
    expect(text({ ...said('newer'), ruleId: 'a', kind: 'newer', by: null })).toBe('in the words of the desk')
  })

  const text = (finding: Parameters<typeof show>[0]) => {
    const { container, unmount } = show(finding)
    const found = container.textContent.trim()
    unmount()
    return found
  }

  function show(finding: Parameters<typeof FindingList>[0]['findings'][number]) {
    const around = {
      rules: [],
      known: new Map(),
      wordings: new Map(),
      policyVersion: 1,
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
  const finding = sampleFinding
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
