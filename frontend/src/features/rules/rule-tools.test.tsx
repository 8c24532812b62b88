import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { DeskError } from '../../desk/desk-error'
import { nothingChanged } from '../../desk/fake-answers'
import { FakeDesk } from '../../desk/fake-desk'
import type { Query, RuleChange, Verdict } from '../../desk/types'
import { choose } from '../../test/choose'
import { openPanel, openRules, write } from '../../test/rules-page'
import { sampleCall, sampleClassPart, sampleCoverage, sampleFinding, sampleOffer, sampleRule } from '../../test/samples'

let desk: FakeDesk

beforeEach(() => {
  desk = new FakeDesk()
  desk.ruleList = [sampleRule(), sampleRule({ id: 'rest', serverId: null, toolPattern: null, effect: 'ask', priority: 0 })]
})

const open = (hash?: string) => openRules(desk, hash)

describe('the tester', () => {
  const verdict: Verdict = {
    decision: 'allow', code: 'rule_allows', params: {}, reason: 'rule rule-1 (priority 100) allows filesystem read_*', rule: { id: 'rule-1', priority: 100 }, risk: 'low', riskReasons: [{ code: 'changes', params: { name: 'x' }, text: 'x changes', at: null }],
    parts: [],
    trace: [
      { ruleId: 'rule-1', part: null, applies: true, code: 'applies', params: {}, why: 'desk' },
      { ruleId: 'rest', part: null, applies: true, code: 'earlier_rule_decided', params: {}, why: 'desk' },
    ],
  }
  const asked = () => {
    const queries: Query[] = []
    desk.evaluate = (...args: unknown[]) => {
      queries.push(args[0] as Query)
      return Promise.resolve(desk.verdictNow)
    }
    return queries
  }

  it('asks the desk a moment after the last letter, and shows the winner and why each other does not', async () => {
    const queries = asked()
    desk.verdictNow = verdict
    await open()
    const tester = await openPanel(/^Try a call/, 'Try a call')
    expect(document.activeElement).toBe(within(tester).getByLabelText('Server'))
    expect(within(tester).getByText('Name a tool, and the verdict stands here.')).toBeTruthy()
    await userEvent.type(within(tester).getByLabelText('Server'), 'filesystem')
    await userEvent.type(within(tester).getByLabelText('Tool name'), 'read_file')
    write(within(tester).getByLabelText('Input'), '{"n": 9007199254740993}')
    expect((await within(tester).findByRole('status')).textContent).toBe('Allowdecided by rule 1. filesystem · read_*')
    expect(queries.at(-1)).toEqual({ serverId: 'filesystem', method: 'tools/call', toolName: 'read_file', input: '{"n": 9007199254740993}' })
    expect(queries.length).toBeLessThan(5)
    const steps = within(within(tester).getByRole('list', { name: 'Why each rule applied or not' })).getAllByRole('listitem')
    expect(steps.map((step) => step.textContent)).toEqual(['Allow1. filesystem · read_*decides', 'Ask2. any server · every toolwould apply, but a rule above decides'])
    expect(tester.textContent).toContain('Low risk')
    expect(tester.textContent).toContain('changes files or settings')
    expect(tester.textContent).not.toContain('rule-1 (priority') // the rule itself says more
  })

  it('shows the parts of a line, each with its rule, and the rules about each', async () => {
    asked()
    desk.verdictNow = {
      ...verdict, decision: 'ask', rule: null, code: null, params: {}, reason: 'no rule applies to the part rm',
      parts: [
        { name: 'cd', decision: 'allow', rule: null }, { name: 'git status', decision: 'allow', rule: { id: 'rule-1', priority: 100 } },
        { name: '', decision: 'ask', rule: null },
      ],
      trace: [
        { ruleId: 'rule-1', part: null, applies: false, code: 'judged_by_parts', params: {}, why: 'desk' },
        { ruleId: 'rule-1', part: 1, applies: true, code: 'applies', params: {}, why: 'desk' },
      ],
    }
    await open()
    const tester = await openPanel(/^Try a call/, 'Try a call')
    write(within(tester).getByLabelText('Tool name'), 'run')
    const parts = within(await within(tester).findByRole('list', { name: 'Parts of the line' })).getAllByRole('listitem')
    expect(parts.map((part) => part.textContent)).toEqual([
      'Allowcdneeds no rule', 'Allowgit status1. filesystem · read_*', 'Aska program that is not known before it runsno rule decides',
    ])
    const steps = within(within(tester).getByRole('list', { name: 'Why each rule applied or not' })).getAllByRole('listitem')
    expect(steps.map((step) => step.textContent)).toEqual([
      'Allow1. filesystem · read_*is judged part by part', 'Allow1. filesystem · read_*git statusdecides',
    ])
  })

  it('says where an input is no JSON, and asks nothing then', async () => {
    const queries = asked()
    await open()
    const tester = await openPanel(/^Try a call/, 'Try a call')
    write(within(tester).getByLabelText('Input'), '[1,\n 2')
    write(within(tester).getByLabelText('Tool name'), 'x')
    expect((await within(tester).findByRole('alert')).textContent).toBe('Not JSON: line 2, column 3')
    await new Promise((done) => setTimeout(done, 400))
    expect(queries).toEqual([])
  })

  it('tells what the desk says where no rule decides, and its refusals', async () => {
    desk.verdictNow = { ...verdict, decision: 'ask', rule: null, code: null, params: {}, reason: 'the tool name has letters that are easily mistaken', trace: [] }
    await open()
    const tester = await openPanel(/^Try a call/, 'Try a call')
    write(within(tester).getByLabelText('Tool name'), 'x')
    expect((await within(tester).findByRole('status')).textContent).toBe('Askno rule decides')
    expect(tester.textContent).toContain('easily mistaken')
    desk.failures.set('evaluate', new DeskError({ code: 'invalid', message: 'longer than 4096 bytes' }))
    write(within(tester).getByLabelText('Tool name'), 'xx')
    expect((await within(tester).findByRole('alert')).textContent).toContain('longer than 4096 bytes')
  })

  it('asks again when the rules change', async () => {
    const queries = asked()
    desk.verdictNow = verdict
    await open()
    const tester = await openPanel(/^Try a call/, 'Try a call')
    write(within(tester).getByLabelText('Tool name'), 'x')
    await within(tester).findByRole('status')
    const before = queries.length
    act(() => {
      desk.verdictNow = { ...verdict, decision: 'deny', rule: null, code: null, params: {}, reason: 'no rule applies', trace: [] }
      desk.hint('rules.changed')
    })
    await within(tester).findByText('Deny')
    expect(queries.length).toBe(before + 1)
  })

  it('tells no outcome of another call than the one that is written', async () => {
    desk.verdictNow = verdict
    await open()
    const tester = await openPanel(/^Try a call/, 'Try a call')
    write(within(tester).getByLabelText('Tool name'), 'x')
    await within(tester).findByText('Allow', { selector: '[role=status] *' })
    write(within(tester).getByLabelText('Tool name'), 'rm')
    expect(within(tester).getByRole('status').textContent).toBe('Loading…')
    await within(tester).findByText('Allow', { selector: '[role=status] *' })
  })

  it('begins with the call that the address names', async () => {
    const queries = asked()
    desk.verdictNow = verdict
    desk.agentList = [{ id: 'agent-1', name: 'helper', createdAt: '', stoppedUntil: null, role: null, userId: '' }]
    const odd = '{"path": "/x", "n": 9007199254740993, "m": 5.0}'
    desk.put(sampleCall({ id: 'c1', status: 'completed', toolName: 'read_file' }), odd)
    await open('#/rules?test=c1')
    const tester = screen.getByRole('region', { name: 'Try a call' })
    await within(tester).findByRole('status')
    const shown = ['Input', 'Session', 'Folder'].map((name) => within(tester).getByLabelText<HTMLInputElement>(name).value)
    expect(shown).toEqual([odd, 'session-1', '/home/mika'])
    await waitFor(() => {
      expect(within(tester).getByLabelText('Agent').textContent).toBe('helper') // by its name, once that is known
    })
    const from = { agentId: 'agent-1', sessionId: 'session-1', cwd: '/home/mika' }
    expect(queries.at(-1)).toEqual({ serverId: 'filesystem', method: 'tools/call', toolName: 'read_file', input: odd, ...from })
    const uri = sampleCall({ id: 'c4', status: 'completed', method: 'resources/read', toolName: 'file:///a', envelopeHash: 'sha256:e' })
    desk.put(uri, '{}')
    desk.envelopes.set('c4', '{"task":{"ttl":1}}')
    act(() => {
      window.history.replaceState(null, '', '#/rules?test=c4')
      window.dispatchEvent(new HashChangeEvent('hashchange'))
    })
    await waitFor(() => {
      expect(queries.at(-1)).toMatchObject({ method: 'resources/read', toolName: 'file:///a', envelope: '{"task":{"ttl":1}}' })
    })
    expect(screen.getByLabelText('Beside the input')).toHaveProperty('value', '{"task":{"ttl":1}}')
    await choose(screen.getByLabelText('What it is about'), 'Call tool')
    await waitFor(() => {
      expect(queries.at(-1)).toMatchObject({ method: 'tools/call', toolName: 'file:///a' })
    })
    desk.put(sampleCall({ id: 'c2', status: 'completed', toolName: 'send', serverId: null, inputWiped: true }), 'gone')
    act(() => {
      window.history.replaceState(null, '', '#/rules?test=c2')
      window.dispatchEvent(new HashChangeEvent('hashchange'))
    })
    await waitFor(() => {
      expect(queries.at(-1)).toMatchObject({ serverId: null, toolName: 'send', input: '{}' })
    })
    act(() => {
      window.history.replaceState(null, '', '#/rules?test=c3')
      window.dispatchEvent(new HashChangeEvent('hashchange'))
    })
    expect((await screen.findByRole('alert')).textContent).toBe('This no longer exists.')
  })

  it('leaves what was written while the call was loaded', async () => {
    desk.put(sampleCall({ id: 'c1', status: 'completed', toolName: 'late' }), '{}')
    let arrive: () => void = () => undefined
    const input = desk.input.bind(desk)
    desk.input = async (id) => {
      await new Promise<void>((done) => (arrive = done))
      return input(id)
    }
    await open('#/rules?test=c1')
    const tester = screen.getByRole('region', { name: 'Try a call' })
    write(within(tester).getByLabelText('Tool name'), 'mine')
    await act(async () => {
      arrive()
      await Promise.resolve()
    })
    expect(within(tester).getByLabelText('Tool name')).toHaveProperty('value', 'mine')
  })

  it('tries a very long input as it is, without a field for it', async () => {
    const queries = asked()
    const long = JSON.stringify({ text: 'x'.repeat(200_000) })
    desk.put(sampleCall({ id: 'c1', status: 'completed' }), long)
    await open('#/rules?test=c1')
    const tester = screen.getByRole('region', { name: 'Try a call' })
    await within(tester).findByText('The input as it was sent, 200,011 characters long.')
    await waitFor(() => {
      expect(queries.at(-1)?.input).toBe(long)
    })
    fireEvent.click(within(tester).getByRole('button', { name: 'Write another' }))
    expect(within(tester).getByLabelText('Input')).toHaveProperty('value', '')
  })
})

describe('while a rule is written', () => {
  it('says what it would have changed and what is odd about it; a draft that is no rule asks nothing', async () => {
    const asked: RuleChange[] = []
    desk.preview = (...args: unknown[]) => {
      asked.push(args[0] as RuleChange)
      return Promise.resolve({
        ...nothingChanged, total: 2310, changedTotal: 14, declined: 1, counts: { 'allow>ask': 12, 'deny>allow': 1, 'ask>allow': 1 },
        changed: [{ callId: 'c1', createdAt: '2026-01-01T00:00:00.000Z', serverId: 'git', toolName: 'push', before: 'ask', after: 'allow', declined: true }],
      })
    }
    const own = ['no_star', 'allows_all'].map((kind) => sampleFinding('rule-1', kind))
    desk.lint = () => Promise.resolve([sampleFinding('rest', 'unreachable', 'rule-1'), ...own])
    await open()
    fireEvent.click(screen.getByRole('button', { name: /^Edit the rule filesystem/ }))
    const form = screen.getByRole('form')
    await userEvent.type(within(form).getByLabelText('Tool pattern'), 'x')
    await within(form).findByText('Would change 14 of 2,310 past calls: 12 would ask, 2 would be allowed')
    expect(form.textContent).toContain('– 1 of these you had declined')
    await waitFor(() => {
      expect(asked.at(-1)).toMatchObject({ put: [{ id: 'rule-1', toolPattern: 'read_*x', effect: 'allow', condition: null }] })
    })
    expect(form.textContent).toContain('2. any server · every tool would never decide')
    expect(form.textContent).toContain('The pattern has no *')
    expect(form.textContent).toContain('Allows every tool of every server without asking')
    fireEvent.click(within(form).getByRole('button', { name: 'Show them' }))
    const calls = within(form).getByRole('list', { name: /^Past calls/ }).textContent
    expect(calls).toMatch(/git · push.*Ask.*would become.*Allow.*You declined it/)
    expect(form.textContent).toContain('The newest 1:')
    const before = asked.length
    write(within(form).getByLabelText('Priority'), '1.5')
    await new Promise((done) => setTimeout(done, 400))
    expect(asked.length).toBe(before)
  })

  it('says of how many past calls nothing can be told, also where that is all of them', async () => {
    desk.previewNow = { ...nothingChanged, total: 9, changedTotal: 2, counts: { 'ask>allow': 2 }, unjudged: 1200 }
    await open()
    fireEvent.click(screen.getByRole('button', { name: 'Add a rule' }))
    const form = screen.getByRole('form')
    const said = async (first: string, second: string) => {
      await waitFor(() => {
        expect([...(within(form).getByRole('status').childNodes)].map((part) => part.textContent).join('')).toBe(first + second)
      })
    }
    const tried = async (note: string, seen: Partial<typeof nothingChanged>) => {
      desk.previewNow = { ...nothingChanged, ...seen }
      await userEvent.type(within(form).getByLabelText('Note'), note)
    }
    await said('Would change 2 of 9 past calls: 2 would be allowed', '1,200 past calls could not be judged: their input was removed')
    await tried('a', { total: 9, unjudged: 1 })
    await said('Would change none of 9 past calls', '1 past call could not be judged: its input was removed')
    await tried('b', { total: 0, unjudged: 3 })
    await said('', '3 past calls could not be judged: their input was removed')
    await tried('c', { total: 9 })
    await said('Would change none of 9 past calls', '')
  })

  it('shows a refusal in place of the preview, and takes the newest answer only', async () => {
    await open()
    fireEvent.click(screen.getByRole('button', { name: 'Add a rule' }))
    await screen.findByText('There are no past calls yet to try this on.')
    let settle: (() => void) | undefined
    desk.preview = () => new Promise((done) => { settle = () => { done({ ...nothingChanged, total: 1 }) } })
    await userEvent.type(screen.getByLabelText('Note'), 'a')
    await waitFor(() => { expect(settle).toBeDefined() })
    desk.preview = () => Promise.reject(new DeskError({ code: 'invalid', message: 'no such variable' }))
    await userEvent.type(screen.getByLabelText('Only if'), 'x')
    await screen.findByText('The desk says: no such variable')
    await act(async () => {
      settle?.()
      await Promise.resolve()
    })
    expect(screen.getByText('The desk says: no such variable')).toBeTruthy()
  })
})

describe('suggestions', () => {
  it('are offered with why and what they would change, and opened as drafts; nothing is lost of one being written', async () => {
    const form = { serverId: 'git', toolName: null, toolPattern: 'get_*', effect: 'allow' as const, priority: 1, enabled: true, note: '' }
    const reading = { code: 'reading', toolName: 'bash', folder: '/w' }
    desk.suggested = [
      { ...sampleOffer(form, reading, { calls: 8, approved: 7, allowed: 1, first: '2026-01-01T00:00:00.000Z' }), answers: 7 },
      { ...sampleOffer({ ...form, effect: 'deny', toolName: 'rm', toolPattern: null }), answers: 3 },
    ]
    desk.previewNow = { ...nothingChanged, total: 9, changedTotal: 7, counts: { 'ask>allow': 7 } }
    await open()
    fireEvent.click(screen.getByRole('button', { name: 'Add a rule' }))
    write(screen.getByLabelText('Note'), 'mine')
    const shown = await openPanel(/^2 suggestions/, 'Suggestions')
    expect(shown.textContent).toContain('You approved commands that only read by bash on git, in /w 7 times and never declined: make it a rule?')
    expect(shown.textContent).toContain('past calls: 8 · approved: 7 · ran unasked: 1 · highest: Low risk · since')
    expect(shown.textContent).toContain('You declined rm on git 3 times and never approved: make it a rule?')
    await waitFor(() => {
      expect(shown.textContent).toContain('Would change 7 of 9 past calls: 7 would be allowed')
    })
    fireEvent.click(within(shown).getAllByRole('button', { name: 'Open as a draft' })[0] as Element)
    const [draft, other] = screen.getAllByRole('form', { name: 'New rule' })
    expect(screen.queryByRole('region', { name: 'Suggestions' })).toBeNull()
    expect(within(draft as HTMLElement).getByLabelText('Tool pattern')).toHaveProperty('value', 'get_*')
    expect(within(other as HTMLElement).getByLabelText('Note')).toHaveProperty('value', 'mine')
    expect(desk.ruleList).toHaveLength(2)
    fireEvent.click(within(draft as HTMLElement).getByRole('button', { name: 'Save' }))
    await waitFor(() => {
      expect(document.activeElement?.textContent).toContain('Pattern get_*') // where it stands now
    })
    expect(screen.getAllByRole('form')).toHaveLength(1)
    expect(desk.ruleList.at(-1)).toMatchObject(form)
  })

  it('are shown to whom the address leads to them', async () => {
    const rule = { serverId: 'git', toolName: 'fetch', toolPattern: null, effect: 'allow' as const, priority: 1, enabled: true, note: '' }
    desk.suggested = [{ ...sampleOffer(rule, { toolName: 'fetch' }), answers: 3 }]
    await open('#/rules?suggestions=1')
    expect((await screen.findByRole('region', { name: 'Suggestions' })).textContent).toContain('fetch')
  })
})

describe('the answer of a grant', () => {
  it('is kept as a rule: what is offered for it opens as a draft', async () => {
    const rule = { serverId: 'sh', toolName: 'bash', toolPattern: null, effect: 'allow' as const, priority: 1, enabled: true, note: '', condition: 'risk == "low"' }
    const widen = vi.spyOn(desk, 'widen')
    desk.widenings = [sampleOffer(rule, { code: 'commands', parts: [sampleClassPart('git add', '')], hosts: ['go.dev'], folder: '/w' })]
    await open('#/rules?grant=g%2F1')
    const panel = screen.getByRole('region', { name: 'Keep as a rule' })
    await waitFor(() => {
      expect(panel.textContent).toContain('git add by bash on sh, at go.dev, in /w')
    })
    expect(widen.mock.calls).toEqual([[{ grantId: 'g/1' }]])
    await waitFor(() => {
      expect(panel.textContent).toContain('Only if the risk is low')
    })
    fireEvent.click(within(panel).getByRole('button', { name: 'Open as a draft' }))
    expect(within(screen.getByRole('form', { name: 'New rule' })).getByLabelText('Only if')).toHaveProperty('value', 'risk == "low"')
    expect(screen.queryByRole('region', { name: 'Keep as a rule' })).toBeNull()
  })
})

describe('export', () => {
  it('saves the document as the desk gives it', async () => {
    await open()
    fireEvent.click(screen.getByRole('button', { name: 'Export' }))
    await waitFor(() => {
      expect(desk.saved).toEqual([{ name: 'sekisho-rules.json', text: JSON.stringify({ format: 'sekisho.rules', version: 1, rules: desk.ruleList }) }])
    })
    desk.failures.set('exportRules', new DeskError({ code: 'unavailable', message: '' }))
    fireEvent.click(screen.getByRole('button', { name: 'Export' }))
    await screen.findByText('The desk is closing or busy. Try again.')
  })
})

describe('a panel', () => {
  it('that was opened while an import was on its way stays, with the focus', async () => {
    let arrive: () => void = () => undefined
    desk.diffNow = { ...desk.diffNow, added: [sampleRule({ id: 'new' })] }
    const take = desk.importRules.bind(desk)
    desk.importRules = async (...args) => {
      await new Promise<void>((done) => (arrive = done))
      return take(...args)
    }
    await open()
    const first = await openPanel(/^Import/, 'Import rules')
    write(within(first).getByLabelText('Or paste the document'), JSON.stringify({ rules: [sampleRule({ id: 'new' })] }))
    await waitFor(() => {
      expect(within(first).getByRole('button', { name: 'Import' })).toHaveProperty('disabled', false)
    })
    fireEvent.click(within(first).getByRole('button', { name: 'Import' }))
    const tester = await openPanel(/^Try a call/, 'Try a call')
    arrive()
    await screen.findByText(/^Imported\. New: 1/)
    expect(screen.getByRole('region', { name: 'Try a call' })).toBe(tester)
    expect(tester.contains(document.activeElement)).toBe(true)
  })

  it('is closed by its button, by Escape and by opening another', async () => {
    await open()
    const first = await openPanel(/^Try a call/, 'Try a call')
    fireEvent.keyDown(within(first).getByLabelText('Tool name'), { key: 'Escape' })
    expect(screen.queryByRole('region', { name: 'Try a call' })).toBeNull()
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Try a call' }))
    await openPanel(/^Try a call/, 'Try a call')
    await openPanel(/^Import/, 'Import rules')
    expect(screen.queryByRole('region', { name: 'Try a call' })).toBeNull()
    fireEvent.click(screen.getByRole('button', { name: 'Close' }))
    expect(screen.queryByRole('region', { name: 'Import rules' })).toBeNull()
  })
})

describe('from my history', () => {
  const rule = { serverId: null, method: null, toolName: 'Bash', toolPattern: null, effect: 'allow' as const, priority: 10, condition: 'shell(input.command).parts.all(p, p.program == "git") && risk != "high"', enabled: true, note: '' }
  const result = {
    calls: 4213, asked: 61, high: 7, declined: 2, left: 12, first: '2026-01-02T00:00:00.000Z', last: '2026-03-04T00:00:00.000Z', different: 30, full: false,
    asking: [{ client: 'claude' as const, serverId: null, toolName: 'Bash', cwd: '/src/app', line: 'git push --force', risk: 'high' as const, riskReasons: [{ code: 'nobody_knows', params: {}, text: 'it rewrites what others have', at: null }], count: 3 }],
    rules: [{ rule, covers: sampleCoverage({ code: 'brand_new', text: 'commands of git' }), calls: 49, examples: ['git status', 'git log'] }],
    lists: [{ client: 'claude' as const, files: ['/home/ada/.claude/settings.json', '/x'], effect: 'allow' as const, text: 'Bash(git:*)', calls: 9, rule, unsafe: [{ code: 'passes_high', params: { line: 'git push --force' }, text: 'x' }, { code: 'brand_new', params: {}, text: 'said in English' }] }],
    unread: [{ kind: 'line', count: 3, first: '/home/ada/a.jsonl' }],
  }
  const region = async () => {
    fireEvent.click(await screen.findByRole('button', { name: 'From my history' }))
    return screen.findByRole('region', { name: 'From my history' })
  }

  it('is read when the person says so, can be stopped, and tells how far it is', async () => {
    await open()
    const shown = await region()
    fireEvent.click(await within(shown).findByRole('button', { name: 'Read the history' }))
    await waitFor(() => {
      expect(desk.historyNow.state).toBe('reading')
    })
    desk.historyNow = { state: 'reading', files: 12, bytes: 34_000_000, calls: 560, result: null }
    await within(shown).findByText('Reading … files: 12 · megabytes: 34 · calls: 560')
    fireEvent.click(within(shown).getByRole('button', { name: 'Stop' }))
    await within(shown).findByRole('button', { name: 'Read the history' })
    expect(desk.historyNow.state).toBe('none')
  })

  it('shows the counts, what is dangerous, what is unsafe about the lists, and what was not read', async () => {
    desk.historyNow = { state: 'done', files: 0, bytes: 1, calls: 4213, result }
    await open()
    const shown = await region()
    await within(shown).findByText('Calls')
    const { textContent } = shown
    for (const said of ['4,213', 'commands of git', 'these go on asking you', 'it rewrites what others have', '3 × git push --force', '49 calls, such as git status · git log', 'Claude Code', 'Lets this pass too: git push --force', 'said in English', '/home/ada/.claude/settings.json and 1 more', '3 lines or entries could not be read, the first in /home/ada/a.jsonl', 'Jan 2, 2026'])
      expect(textContent.toLowerCase()).toContain(said.toLowerCase())
  })

  it('opens each proposal as a draft, and has the result still when it is opened again', async () => {
    desk.historyNow = { state: 'done', files: 0, bytes: 1, calls: 4213, result }
    await open()
    const [of, list] = await within(await region()).findAllByRole('button', { name: 'Open as a draft' })
    expect(list).toBeTruthy()
    fireEvent.click(of as Element)
    expect(within(screen.getByRole('form', { name: 'New rule' })).getByLabelText('Only if')).toHaveProperty('value', rule.condition)
    expect(screen.queryByRole('region', { name: 'From my history' })).toBeNull()
    expect(await within(await region()).findByText('1 rule would do it')).toBeTruthy()
    expect(desk.ruleList).toHaveLength(2)
  })

  it('says that nothing was found, and why it could not be read', async () => {
    desk.historyNow = { state: 'done', files: 0, bytes: 0, calls: 0, result: { ...result, calls: 0, asking: [], rules: [], lists: [], unread: [], first: null, last: null } }
    await open()
    const shown = await region()
    expect(await within(shown).findByText('No calls were found')).toBeTruthy()
    desk.failures.set('readHistory', new DeskError({ code: 'unavailable', message: '' }))
    fireEvent.click(within(shown).getByRole('button', { name: 'Read again' }))
    await within(shown).findByText('The desk is closing or busy. Try again.')
  })
})
