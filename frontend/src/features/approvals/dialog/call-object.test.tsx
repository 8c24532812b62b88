import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { useRef, useState } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { FakeDesk } from '../../../desk/fake-desk'
import type { Look, RiskReason } from '../../../desk/types'
import { sampleCommand, sampleFile, sampleLast, sampleLine, sampleLook } from '../../../test/looks'
import { renderAt } from '../../../test/render'
import { sampleCall } from '../../../test/samples'
import { useCallInput } from '../answer/use-call-input'
import { lookAgainMs, useLook } from '../answer/use-look'
import { CallObject } from './call-object'
import '../shapes/edit-field' // which it loads late

interface Told {
  edited: (string | null)[]
  counted: string[]
  versions: string[]
  enveloped?: boolean
  reasons?: RiskReason[]
}

function Whole({ told, readOnly }: { told: Told; readOnly: boolean }) {
  const [start, end] = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)]
  const [edited, setEdited] = useState<string | null>(null)
  const looked = useLook('call-1')
  if (told.versions.at(-1) !== looked.version) told.versions.push(looked.version)
  return (
    <CallObject
      input={useCallInput(sampleCall({ envelopeHash: told.enveloped ? 'e1' : null }))}
      looked={looked}
      start={start}
      end={end}
      onFold={null}
      edited={edited}
      onEdited={(text) => {
        told.edited.push(text)
        setEdited(text)
      }}
      onCounted={(counted) => told.counted.push(counted)}
      readOnly={readOnly}
      reasons={told.reasons ?? []}
    />
  )
}

async function show(raw: string, look?: Partial<Look>, readOnly = false, envelope: string | null = null, reasons: RiskReason[] = []) {
  const desk = new FakeDesk()
  if (envelope !== null) desk.envelopes.set('call-1', envelope)
  desk.inputs.set('call-1', raw)
  if (look) desk.looks.set('call-1', sampleLook(look))
  const told: Told = { edited: [], counted: [], versions: [], enveloped: envelope !== null, reasons }
  const { container } = renderAt(desk, <Whole told={told} readOnly={readOnly} />)
  await screen.findByText('Input')
  await act(() => Promise.resolve())
  return { desk, told, text: () => container.textContent ?? '', container }
}

const section = (name: string) => within(screen.getByRole('region', { name }))

afterEach(() => {
  vi.useRealTimers()
})

describe('what raised the risk', () => {
  const deletes = (start: number, end: number, pointer = '/command'): RiskReason => ({ code: 'deletes', params: { name: 'rm' }, text: '', at: { pointer, start, end } })
  const marked = (container: HTMLElement) => [...container.querySelectorAll('mark')].map((m) => [m.textContent, m.title])

  it('is marked in the steps of a command, letter for letter', async () => {
    const command = { ...sampleCommand([[['word', 'é'], ['blank', ' '], ['operator', '&&']], [['program', 'rm'], ['blank', ' '], ['option', '-rf'], ['blank', ' '], ['word', 'a']]]), text: 'é && rm -rf a', argv: false }
    const { container } = await show('{"command":"é && rm -rf a"}', { command }, false, null, [deletes(5, 13)])
    expect(marked(container)).toContainEqual(['rm -rf a', 'rm deletes files or folders without asking'])
  })

  it('is marked in the input as it was sent, behind escapes', async () => {
    const { container } = await show(String.raw`{"b":["x","\u00e9\n rm 😀; ls"],"c":"rm"}`, undefined, false, null, [deletes(3, 8, '/b/1')])
    expect(marked(container)).toEqual([['rm 😀', 'rm deletes files or folders without asking']])
  })

  it('is not marked where it is not shown', async () => {
    const { container } = await show('{"command":"ls"}', undefined, false, null, [deletes(0, 2, '/other')])
    expect(marked(container)).toEqual([])
  })
})

describe('what is beside the input', () => {
  it('is shown as it was sent, with hidden characters marked', async () => {
    const { text } = await show(
      '{"repo":"prod"}',
      undefined,
      false,
      '{"inputResponses":{"n":9007199254740993},"_meta":{"as":"ad\u200bmin"}}',
    )
    screen.getByRole('heading', { name: /Beside the input/ })
    expect(text()).toContain('9007199254740993')
    expect(text()).toContain('200B')
  })

  it('is one line where clients tell of themselves alone', async () => {
    const { container } = await show('{}', undefined, false, '{"_meta":{"x-codex-turn-metadata":{"turn_id":"t"}}}')
    expect(container.querySelector('details:not([open]) > summary')?.textContent).toBe('The client about itself: x-codex-turn-metadata')
  })

  it('is all open where there is more', async () => {
    const { container } = await show('{}', undefined, false, '{"task":{},"_meta":{"x-codex-turn-metadata":{}}}')
    expect(container.querySelector('details > summary')?.textContent ?? '').not.toContain('The client')
  })

  it('is not there where there is nothing', async () => {
    await show('{}')
    expect(screen.queryByRole('heading', { name: /Beside the input/ })).toBeNull()
  })
})

describe('a file that would be written', () => {
  const lines = [
    sampleLine('gap', '', { count: 7 }),
    sampleLine('same', 'one', { old: 8, new: 8 }),
    sampleLine('removed', 'two', { old: 9 }),
    sampleLine('added', 'tw\u200bo\u202e', { new: 9, ending: 'crlf' }),
    sampleLine('added', '<b>end</b>', { new: 10, ending: 'none' }),
  ]

  it('is shown as a difference, with words, numbers and marks', async () => {
    await show('{"path":"/tmp/a.txt","content":"x"}', { file: sampleFile({ lines, added: 2, removed: 1, size: 1234 }) })
    const shape = section('What it would write')
    expect(shape.getByText('/tmp/a.txt')).toBeTruthy()
    expect(shape.getByText('Lines: 2 added, 1 removed')).toBeTruthy()
    expect(shape.getByText('Now 1,234 bytes on the disk')).toBeTruthy()
    const rows = within(shape.getByLabelText('Difference to the file on the disk')).getAllByRole('listitem')
    expect(rows.map((row) => row.textContent)).toEqual([
      '7 unchanged lines',
      'one',
      'Removed: two',
      'Added: tw⟦U+200B⟧o⟦U+202E⟧ends with CR LF',
      'Added: <b>end</b>no line end',
    ])
    expect(rows.slice(1, 4).map((row) => [row.dataset.old, row.dataset.new])).toEqual([
      ['8', '8'],
      ['9', ''],
      ['', '9'],
    ])
  })

  it('folds its JSON away only where the difference shows all of it', async () => {
    const { container } = await show('{"path":"/tmp/a.txt","content":"x"}', { file: sampleFile({ lines }) })
    const whole = container.querySelector('details')
    expect(whole?.open).toBe(false)
    expect(whole?.querySelector('summary')?.textContent).toBe('The input as it was sent 35 characters · 4 lines · all of it is shown above')
    expect(screen.getByLabelText('Input of the call').textContent).toContain('"content": "x"')
  })

  it.each([
    ['the difference that shows all of it', '{"path":"/tmp/a.txt","content":"x"}', false],
    ['its JSON, where that says more', '{"path":"/tmp/a.txt","content":"x","mode":"0777"}', true],
  ])('is read to the end of %s', async (_, raw, json) => {
    const { container } = await show(raw, { file: sampleFile({ lines }) })
    const ending = container.querySelector('.end')
    const comesBefore = (element: Element) => Boolean(ending && element.compareDocumentPosition(ending) & Node.DOCUMENT_POSITION_FOLLOWING)
    expect(comesBefore(screen.getByLabelText('Difference to the file on the disk'))).toBe(true)
    expect(comesBefore(screen.getByLabelText('Input of the call'))).toBe(json)
    expect(comesBefore(screen.getByRole('button', { name: 'Edit the input' }))).toBe(false)
    expect(ending?.parentElement?.contains(screen.getByRole('region', { name: 'What it would write' }))).toBe(true)
  })

  it.each([
    ['another member', '{"path":"/tmp/a.txt","content":"x","mode":"0777"}', {}],
    ['a value that is no text', '{"path":"/tmp/a.txt","edits":[]}', {}],
    ['another path', '{"path":"/tmp/b.txt","content":"x"}', {}],
    ['lines left out', '{"path":"/tmp/a.txt","content":"x"}', { more: 12 }],
    ['no difference', '{"path":"/tmp/a.txt","content":"x"}', { state: 'same' as const }],
  ])('keeps its JSON open with %s', async (_, raw, part) => {
    const { container } = await show(raw, { file: sampleFile({ lines, ...part }) })
    expect(screen.getByLabelText('Input of the call').closest('details')).toBeNull()
    expect(container.querySelector('h4 + pre, h4 ~ pre')).not.toBeNull()
  })

  it('says how much of the difference is left out', async () => {
    const { text } = await show('{"path":"/tmp/a.txt","content":"x"}', { file: sampleFile({ lines, more: 1 }) })
    expect(text()).toContain('1 more line of the difference is not shown here.')
  })

  it.each([
    ['new', '', '', 'A new file'],
    ['same', '', '', 'The file has exactly this content already. Nothing would change.'],
    ['binary', '', '', 'This is not text (binary)'],
    ['unreadable', 'forbidden', 'the desk may not read it', 'The desk cannot read the file. It has no permission to.'],
    ['unclear', 'dots', 'the path has ".."', 'afterwards. The path goes up by'],
    ['unclear', 'of_tomorrow', 'something \u202enew', 'afterwards. something ⟦U+202E⟧new'],
    ['not_a_file', 'kernel', 'x', 'no ordinary file. The system makes this file up'],
  ] as const)('of state %s (%s) says so', async (state, code, reason, words) => {
    const { text } = await show('{"path":"/tmp/a.txt","content":"x"}', { file: sampleFile({ state, code, reason }) })
    expect(text()).toContain(words)
  })

  it.each([
    ['/tmp/a.txt', '/tmp/a.txt', null],
    ['notes/a.txt', '/home/mika/notes/a.txt', 'On the disk: /home/mika/notes/a.txt'],
    ['./a.txt', '/home/mika/a.txt', 'On the disk: /home/mika/a.txt'],
    ['/tmp/link', '/etc/passwd', 'This path leads elsewhere than it reads, to /etc/passwd'],
    ['notes/link', '/etc/passwd', 'This path leads elsewhere than it reads, to /etc/passwd'],
    ['a/../b', '/home/mika/b', 'This path leads elsewhere than it reads, to /home/mika/b'],
    ['/tmp/a.txt', '', null],
  ])('at %s says where that leads', async (path, resolved, words) => {
    const { text } = await show('{}', { file: sampleFile({ path, resolved, state: 'new' }) })
    if (words === null) expect(text()).not.toMatch(/On the disk|elsewhere/)
    else expect(text()).toContain(words)
  })

  it('is looked at again, and a change on the disk is said and is another version', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    const { desk, told, text } = await show('{"path":"/tmp/a.txt","content":"x"}', { file: sampleFile({ lines }) })
    await act(() => vi.advanceTimersByTimeAsync(lookAgainMs * 2))
    expect(told.versions).toHaveLength(2)
    expect(text()).not.toContain('changed while you were looking')
    desk.looks.set('call-1', sampleLook({ file: sampleFile({ lines, version: 'v2' }) }))
    await act(() => vi.advanceTimersByTimeAsync(lookAgainMs))
    expect(screen.getByRole('alert').textContent).toContain('The file on the disk changed while you were looking.')
    expect(told.versions).toHaveLength(3)
  })

  it('is not looked at again while the page is hidden', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    const { desk } = await show('{}', { file: sampleFile({ lines }) })
    const looks = vi.spyOn(desk, 'look')
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
    await act(() => vi.advanceTimersByTimeAsync(lookAgainMs * 3))
    expect(looks).not.toHaveBeenCalled()
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('visible')
    await act(() => vi.advanceTimersByTimeAsync(lookAgainMs))
    expect(looks).toHaveBeenCalledTimes(1)
  })
})

describe('a command', () => {
  const command = sampleCommand(
    [
      [
        ['program', 'cd'],
        ['blank', ' '],
        ['path', '/srv'],
        ['blank', ' '],
        ['operator', '&&'],
        ['blank', ' '],
      ],
      [
        ['program', 'git'],
        ['blank', ' '],
        ['option', '-C'],
        ['blank', ' '],
        ['word', 'x\u200by'],
        ['blank', ' '],
        ['redirect', '>'],
        ['blank', ' '],
        ['string', '"$HOME'],
        ['word', '/out"'],
        ['blank', ' '],
        ['redirect', '2>&1'],
      ],
      [
        ['program', 'make'],
        ['blank', ' '],
        ['redirect', '>'],
        ['path', '/dev/null'],
        ['blank', ' '],
        ['redirect', '<'],
        ['path', 'in.txt'],
      ],
    ],
    {
      programs: [
        { word: 'cd', path: 'builtin' },
        { word: 'git', path: '/usr/bin/git' },
        { word: 'fn', path: 'function' },
        { word: '$X', path: null },
      ],
    },
  )

  it('has a line for each step, and says which programs run and what is written', async () => {
    await show(JSON.stringify({ command: command.text }), { command })
    const shape = section('What it would run')
    const steps = within(shape.getByRole('list', { name: 'The command, one step a line' })).getAllByRole('listitem')
    expect(steps.map((step) => step.textContent)).toEqual([
      'cd /srv && ',
      'git -C x⟦U+200B⟧y > "$HOME/out" 2>&1',
      'make >/dev/null <in.txt',
    ])
    expect(steps.map((step) => step.querySelector('strong')?.textContent)).toEqual(['cd', 'git', 'make'])
    expect(shape.getAllByRole('note').map((note) => note.textContent)).toEqual(['Writes into "$HOME/out"'])
    for (const words of [
      'cd is built into the shell',
      'git is /usr/bin/git',
      'fn is a function of this command',
      '$X is not found on this machine, or only known when it runs',
      'Runs in /tmp',
    ]) {
      expect(
        shape.getByText((_, element) => element?.textContent === words && element.children.length > 0 && element.tagName !== 'LI'),
      ).toBeTruthy()
    }
    expect(screen.getByLabelText('Input of the call').closest('details')?.open).toBe(false)
  })

  it('that could not be taken apart is shown as it is, with the reason', async () => {
    const text = 'rm -rf ~\u001b[2K'
    await show(JSON.stringify({ command: text }), {
      command: sampleCommand([[['word', text]]], { parsed: false, error: 'it has control characters in it', cwd: '' }),
    })
    const shape = section('What it would run')
    expect(shape.getByRole('note').textContent).toContain(
      'could not be taken apart for certain, so it is shown as it is. it has control characters in it',
    )
    expect(shape.getByRole('listitem').textContent).toBe('rm -rf ~⟦U+001B⟧[2K')
    expect(shape.getByText('The folder that it runs in is not known.')).toBeTruthy()
    expect(screen.getByLabelText('Input of the call').closest('details')).toBeNull()
  })

  it('without a shell says so, and keeps its JSON', async () => {
    await show('{"command":"ls","args":["-l"]}', {
      command: sampleCommand(
        [
          [
            ['program', 'ls'],
            ['blank', ' '],
            ['option', '-l'],
          ],
        ],
        { argv: true },
      ),
    })
    expect(section('What it would run').getByText('A program and its arguments. No shell reads them.')).toBeTruthy()
    expect(screen.getByLabelText('Input of the call').closest('details')).toBeNull()
  })
})

describe('an address', () => {
  it('is shown by its parts, with what is odd about it', async () => {
    await show('{"url":"https://good.example@www.xn--80ak6aa92e.com:8443/a%20b?x=1&to=%2Fetc#top","method":"GET"}')
    const shape = section('The address url')
    expect(shape.getAllByRole('note').map((note) => note.textContent)).toEqual([
      'What stands before @ is a sign-in, not the host.',
      'A browser shows this host as www.аU+0430рU+0440рU+0440ӏU+04CFеU+0435.com',
      'The host has letters that look like others.',
    ])
    const rows = [...document.querySelectorAll('dl dt')].map((dt) => [
      dt.textContent,
      [...(dt.nextElementSibling?.querySelectorAll('li') ?? [])].map((li) => li.textContent),
    ])
    expect(rows).toEqual([
      ['Protocol', ['https:']],
      ['Sign-in', ['good.example@']],
      ['Host', ['www.xn--80ak6aa92e.com']],
      ['Port', [':8443']],
      ['Path', ['/a%20b = /a b']],
      ['Query', ['x=1', 'to=%2Fetc = to=/etc']],
      ['Fragment', ['top']],
    ])
    expect(shape.queryByRole('link')).toBeNull()
  })

  it('that programs read differently is warned of', async () => {
    await show('{"note":"https://good.example\\\\@evil.example/"}')
    expect(section('The address note').getAllByRole('note')[0]?.textContent).toBe(
      'Programs read this address differently: a browser would go to good.example',
    )
  })

  it('alone folds its JSON away; several beyond four stay in the input', async () => {
    await show('{"url":"https://a.example/"}')
    expect(screen.getByLabelText('Input of the call').closest('details')?.open).toBe(false)
    const many = Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`k${String(i)}`, `https://h${String(i)}.example/`]))
    document.body.replaceChildren()
    const { text } = await show(JSON.stringify(many))
    expect(screen.getAllByRole('region', { name: /^The address/ })).toHaveLength(4)
    expect(text()).toContain('2 more addresses are in the input')
  })
})

describe('the last call that was approved', () => {
  it('is said to be the same', async () => {
    const { text } = await show('{}', { last: sampleLast({ same: true }) })
    expect(text()).toMatch(/Exactly the same input was approved before \(\d+:\d\d:\d\d [AP]M\)\./)
  })

  it('is compared key by key, with the earlier values', async () => {
    const last = sampleLast({
      changed: [{ key: 'pa\u200bth', before: '"/tmp/\\u202eold"', cut: false }],
      added: ['mode'],
      removed: [{ key: 'note', before: '"long', cut: true }],
    })
    const { text } = await show('{"pa\u200bth":"/tmp/new","mode":1,"content":"x"}', { last })
    expect(text()).toContain('except pa⟦U+200B⟧th, mode, note.')
    const was = within(screen.getByText('Earlier values').parentElement ?? document.body).getAllByRole('listitem')
    expect(was.map((li) => li.textContent)).toEqual([
      'pa⟦U+200B⟧th was "/tmp/\\u202e⟦U+202E⟧old"',
      'mode is new',
      'note is gone; it was (its beginning) "long…',
    ])
  })

  it('with nothing in common says so below the act, and what is the same above it', async () => {
    const last = sampleLast({ changed: [{ key: 'path', before: '"a"', cut: false }] })
    const { text } = await show('{"path":"b"}', { last })
    expect(text()).toMatch(/"path": "b"[^]*All of it differs from the one approved before/)
    cleanup()
    expect((await show('{"path":"b","mode":1}', { last })).text()).toMatch(/except path\.[^]*"path": "b"/)
  })
})

describe('texts', () => {
  it('with escapes are shown as what they stand for, long ones when asked', async () => {
    const long = Array.from({ length: 1500 }, (_, i) => `line ${String(i + 1)}`).join('\n')
    await show(JSON.stringify({ body: 'a\n\u202e"b"', list: [{ long }], plain: 'x' }))
    expect(within(screen.getByLabelText('body as text')).getAllByRole('listitem').map((li) => li.textContent)).toEqual(['a', '⟦U+202E⟧"b"'])
    const folded = () => [...document.querySelectorAll('details')].find((d) => d.textContent?.startsWith('list[0].long as text'))
    expect(folded()?.querySelector('li')).toBeNull()
    Object.assign(folded() ?? {}, { open: true })
    const lines = await screen.findByLabelText('list[0].long as text')
    expect(lines.textContent).toContain('line 400700 lines are folded hereShow allline 1101')
    fireEvent.click(within(lines).getByText('Show all'))
    expect(lines.querySelectorAll('li')).toHaveLength(1500)
    expect([...document.querySelectorAll('summary')].map((one) => one.textContent)).toEqual(['body as text', 'list[0].long as text'])
  })

  it('of one very long line fold in the middle, with a count', async () => {
    await show(JSON.stringify({ command: 'x' }), { command: sampleCommand([[['word', `${'a'.repeat(50_000)}; rm -rf ~`]]]) })
    const step = screen.getByRole('list', { name: 'The command, one step a line' })
    expect(step.textContent).toContain('42,010 characters are folded here')
    expect(step.textContent).toMatch(/; rm -rf ~$/)
    fireEvent.click(within(step).getByRole('button', { name: 'Show all' }))
    expect(step.textContent).toHaveLength(50_010)
  })

  it('whose ways are spelled alike are both shown, each under its own name', async () => {
    const errors = vi.spyOn(console, 'error')
    await show('{"a.b":"x\\ny","a":{"b":"p\\nq"},"c":"1\\n2","c":"3\\n4"}')
    const lines = (name: string) =>
      screen.getAllByLabelText(name).map((view) =>
        within(view)
          .getAllByRole('listitem')
          .map((li) => li.textContent)
          .join(),
      )
    expect([lines('["a.b"] as text'), lines('a.b as text'), lines('c as text')]).toEqual([['x,y'], ['p,q'], ['1,2', '3,4']])
    expect(errors).not.toHaveBeenCalled()
  })
})

describe('editing the input', () => {
  const raw = '{"path":"/tmp/a","n":12345678901234567890,"note":"x\u202ey","list":[5.0]}'
  const field = () => screen.getByRole<HTMLTextAreaElement>('textbox')
  const type = (text: string) => fireEvent.change(field(), { target: { value: text } })
  async function start(readOnly = false) {
    const shown = await show(raw, undefined, readOnly)
    fireEvent.click(screen.getByRole('button', { name: 'Edit the input' }))
    return shown
  }

  it('begins with what was sent, laid out, and nothing in it hidden', async () => {
    const { told } = await start()
    expect(field().value).toBe('{\n  "path": "/tmp/a",\n  "n": 12345678901234567890,\n  "note": "x\\u202ey",\n  "list": [\n    5.0\n  ]\n}')
    expect(document.activeElement).toBe(field())
    expect(screen.getByText(/Hidden characters are written as escapes here/)).toBeTruthy()
    expect(screen.getByText('Nothing is changed yet.')).toBeTruthy()
    expect(told.edited).toEqual([])
  })

  it('tells the edited text and shows the difference', async () => {
    const { told, text } = await start()
    const next = field().value.replace('/tmp/a', '/tmp/b')
    type(next)
    expect(told.edited).toEqual([next])
    const rows = within(screen.getByLabelText('Your changes')).getAllByRole('listitem').map((row) => row.textContent)
    expect(rows.slice(0, 4)).toEqual(['{', 'Removed:   "path": "/tmp/a",', 'Added:   "path": "/tmp/b",', '  "n": 12345678901234567890,'])
    expect(text()).toContain('You changed the input. Above is what the agent sent')
  })

  it.each([
    ['{"a":1,}', 'Line 1, column 8: this is not JSON.'],
    ['{"a":1,\n"a":2}', 'Line 2, column 1: the key a stands here a second time.'],
    ['[]', 'Line 1, column 1: the input must be an object, as in { … }.'],
  ])('tells %j too, which must not be sent, and says what is wrong', async (text, words) => {
    const { told } = await start()
    type(text)
    expect(told.edited).toEqual([text])
    expect(screen.getByRole('alert').textContent).toBe(words)
    expect(field().getAttribute('aria-invalid')).toBe('true')
    expect(screen.queryByLabelText('Your changes')).toBeNull()
  })

  it('takes what says the same for no edit', async () => {
    const { told } = await start()
    const offered = field().value
    type(raw)
    type('  ' + offered.replaceAll('\n', '\n\n'))
    expect(told.edited).toEqual([null, null])
    expect(field().value).toContain('\n\n')
  })

  it('can be put back', async () => {
    const { told } = await start()
    type('{"path":"/tmp/b"}')
    fireEvent.click(screen.getByRole('button', { name: 'Put it back' }))
    expect(told.edited.at(-1)).toBeNull()
    expect(screen.queryByRole('textbox')).toBeNull()
    fireEvent.click(screen.getByRole('button', { name: 'Edit the input' }))
    expect(field().value).toContain('/tmp/a')
  })

  it('is not possible while an answer is on its way', async () => {
    await show(raw, undefined, true)
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Edit the input' }).disabled).toBe(true)
  })

  it.each([`{"a":"${'x'.repeat(200_001)}"}`, "{'a':1}"])('is not offered for %.12s', async (text) => {
    await show(text)
    expect(screen.queryByRole('button', { name: 'Edit the input' })).toBeNull()
  })
})

describe('what is known late', () => {
  it('tells the number of deceiving characters', async () => {
    const { told } = await show('{"a":"\u200b\u200bp\u0430y"}')
    expect(told.counted).toEqual(['2 1'])
  })

  it('counts a long input in the background and tells then', async () => {
    const { told, text } = await show(JSON.stringify({ a: 'x'.repeat(300_000), b: '\u200b' }))
    expect(text()).toContain('Counting hidden characters…')
    await waitFor(() => {
      expect(told.counted.at(-1)).toBe('1 0')
    }, { timeout: 20_000 })
    expect(text()).toContain('1 hidden character, marked below')
  })

  it('a desk that cannot say more of the call is asked again', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    const desk = new FakeDesk()
    let asked = 0
    vi.spyOn(desk, 'look').mockImplementation(() =>
      ++asked === 1 ? Promise.reject(new Error('down')) : Promise.resolve(sampleLook({ last: sampleLast({ same: true }) })),
    )
    const told: Told = { edited: [], counted: [], versions: [] }
    const { container } = renderAt(desk, <Whole told={told} readOnly={false} />)
    await act(() => vi.advanceTimersByTimeAsync(lookAgainMs + 50))
    expect(container.textContent).toContain('Exactly the same')
    await act(() => vi.advanceTimersByTimeAsync(lookAgainMs * 3))
    expect(asked).toBe(2)
  })
})

describe('what cannot be drawn', () => {
  it('is said to be so: all of the input stands there instead, as another view and without the edit', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const { desk, told, text } = await show('{"n": 9007199254740993}', { file: sampleFile() })
    fireEvent.click(screen.getByRole('button', { name: 'Edit the input' }))
    fireEvent.change(screen.getByRole('textbox'), { target: { value: '{"n": 1}' } })
    expect([told.edited.at(-1), screen.queryByRole('alert')]).toEqual(['{"n": 1}', null])
    vi.spyOn(desk, 'look').mockResolvedValue(sampleLook({ file: { ...sampleFile({ version: 'v2' }), lines: null as never } }))
    await act(() => vi.advanceTimersByTimeAsync(lookAgainMs))
    expect(screen.getByRole('alert').textContent).toContain('Not all of this could be shown as usual.')
    expect(within(screen.getByLabelText('Input of the call')).getByText('9007199254740993')).toBeTruthy()
    expect([told.edited.at(-1), told.counted.at(-1), text().includes('You changed the input')]).toEqual([null, 'plain 0 0', false])
  })
})
