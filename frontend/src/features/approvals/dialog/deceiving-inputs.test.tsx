import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { FakeDesk } from '../../../desk/fake-desk'
import { escapedOf, given, more, rawOf, value, type DeceivingCase } from '../../../test/deceiving-cases'
import { renderAt } from '../../../test/render'
import { sampleCall } from '../../../test/samples'
import { characterName, codePoint, isHidden } from '../../../ui/hidden-characters'
import { ApprovalDialog } from './approval-dialog'

interface Shown {
  toolName: string
  serverId?: string
  description?: string
  cwd?: string
}

async function show({ toolName, serverId = 'fs', description = '', cwd = '/home/mika' }: Shown, raw = '{}') {
  const desk = new FakeDesk()
  const call = sampleCall({ toolName, serverId, description, cwd })
  desk.put(call, raw)
  renderAt(desk, <ApprovalDialog call={call} position={1} total={1} onAnswer={() => Promise.resolve(null)} onLater={() => undefined} />)
  const dialog = screen.getByRole('alertdialog')
  await waitFor(() => {
    expect(dialog.textContent).toContain('Copy as sent')
    expect(dialog.textContent).not.toContain('Counting')
  }, { timeout: 20_000 })
  return dialog
}

const hiddenOf = (text: string) => [...new Set([...text].filter(isHidden))]

/** Reads a mark back: what stood in the text, as often as it stood there. */
function unmark(mark: Element): string {
  const text = mark.textContent ?? ''
  const [, escape = '', times = '1'] = /^(.*?)⟦U\+[0-9A-F]+⟧(?:×(\d+))?$/.exec(text) ?? []
  const point = /^U\+([0-9A-F]+)/.exec(mark.getAttribute('title') ?? '')?.[1] ?? ''
  return (escape || String.fromCodePoint(parseInt(point, 16))).repeat(Number(times))
}

/** The text that a person can read out of the view, with the marks taken back. */
function sent(node: Node): string {
  if (node instanceof Element && node.tagName === 'MARK') return unmark(node)
  return node.childNodes.length === 0 ? (node.textContent ?? '') : [...node.childNodes].map(sent).join('')
}

/** Without the blanks between tokens. */
const packed = (raw: string) => raw.replace(/"(?:[^"\\]|\\.)*"|\s+/gsu, (part) => (part.startsWith('"') ? part : ''))

/** Compared so, millions of letters are not printed. */
const same = (a: string, b: string) =>
  a === b || `${a.slice(0, 300)}… (${String(a.length)}) is not ${b.slice(0, 300)}… (${String(b.length)})`

/** What the page says of every row of a class, and of single rows. */
const byClass: Record<string, string> = {
  overflow: '3 lines',
  'fake-status': 'from the agent, not checked',
  'tool-description': 'In the agent’s words, unchecked',
}
const byRow: Record<string, string> = {
  'DLG-053': '5,000,014 characters',
  'DLG-055': '1,997 hidden characters, marked below',
  'DLG-070': 'A name here sounds like this desk itself.',
}

/** The words of a text that anybody can read. */
const wordsOf = (text: string) => text.split(/[^\w.;~<>=/()-]+/).filter((word) => word.length > 1)

const ways = [...given, ...more]
  .filter((c) => c.input === undefined)
  .flatMap((c) => [
    { ...c, way: 'raw', raw: rawOf(c) },
    ...(c.argsRaw === undefined ? [{ ...c, way: 'escaped', raw: escapedOf(rawOf(c)) }] : []),
  ])

describe.each(ways)('$id $cls, $way', (c: DeceivingCase & { way: string; raw: string }) => {
  it('is shown just as it was sent, makes no element, and has every hidden character marked, named and counted', async () => {
    const dialog = await show(c, c.raw)
    const all = within(dialog).queryByRole('button', { name: 'Show all' })
    if (all) {
      expect(within(dialog).getByText(/^[\d,]+ characters are folded here$/)).toBeTruthy()
      fireEvent.click(all)
      await waitFor(() => {
        expect(within(dialog).queryByText(/folded here|Unfolding/)).toBeNull()
      }, { timeout: 20_000 })
    }
    expect(same(packed(sent(within(dialog).getByLabelText('Input of the call'))), packed(c.raw))).toBe(true)
    expect(
      dialog.querySelectorAll('img, iframe, form, a[href]:not([href^="#"]), meta, base, h1, script, svg[onload], embed, object'),
    ).toHaveLength(0)

    const shown = dialog.textContent ?? ''
    const ofRow = c.way === 'raw' ? (byRow[c.id] ?? '') : '' // an escape is a character of its own
    const words = [byClass[c.cls] ?? '', ofRow, ...wordsOf(`${c.toolName} ${c.serverId} ${c.description ?? ''}`)]
    expect(words.filter((word) => !shown.includes(word))).toEqual([])
    const input = typeof c.args === 'object' && c.args ? Object.values(c.args).map(value).join('').replace(/[\n\t]/g, '') : ''
    for (const character of [...hiddenOf(input), ...hiddenOf(c.toolName), ...hiddenOf(c.serverId), ...hiddenOf(c.description ?? '')]) {
      expect(dialog.querySelector(`mark[title="${codePoint(character)} ${characterName(character)}"]`)?.textContent).toContain(
        codePoint(character),
      )
      expect(shown.includes(character)).toBe(false)
    }
    const count = [...input].filter(isHidden).length
    if (count > 0) expect(shown).toContain(`${String(count)} hidden character`)
    if (hiddenOf(c.toolName + c.serverId).length > 0) expect(shown).toContain('A name here has 1 hidden character.')
    if (c.cls !== 'invisible' || c.toolName === 'run') return
    expect(within(dialog).getByRole('heading', { level: 2 }).textContent).toMatch(/^helper wants to run delete⟦U\+[0-9A-F]+⟧_file on fs$/)
  })
})

describe('names', () => {
  it.each([
    ['git_\u0455tatus', 'git_status', 'U+0455 CYRILLIC'],
    ['g\u0435t', 'get', 'U+0435 CYRILLIC'],
    ['\u0441\u043e\u0440\u0443', 'copy', 'U+0441 CYRILLIC'],
    ['read_f\u03b9le', 'read_file', 'U+03B9 GREEK'],
    ['\u13a0elete', 'Delete', 'U+13A0 CHEROKEE'],
    ['\uff52ead', 'read', 'U+FF52 LATIN'],
    ['l\u0131st', 'list', 'U+0131 LATIN'],
    ['\u{1d42b}ead', 'read', 'U+1D42B LOOK-ALIKE'],
    ['a\u2044b', 'a/b', 'U+2044 LOOK-ALIKE'],
  ])('that only look like others are marked, and the other is named: %s', async (toolName, look, title) => {
    const dialog = await show({ toolName })
    expect(dialog.textContent).toContain('mixes letters of different scripts')
    expect(within(dialog).getAllByTitle(title).length).toBeGreaterThan(0)
    expect(
      within(dialog)
        .getAllByRole('note')
        .some((note) => note.textContent?.endsWith(` is not ${look}, though it looks like it.`)),
    ).toBe(true)
  })

  it('that hide a character are said to be others, too', async () => {
    expect((await show({ toolName: 'delete\u200c_file' })).textContent).toContain('delete⟦U+200C⟧_file is not delete_file')
  })

  it.each(['Sekisho', 'sekisho.desk', '\u0455ekisho', 'se\u200bkisho', '関所'])('may not pose as the desk: %s', async (serverId) => {
    expect((await show({ toolName: 'Approve ✔', serverId })).textContent).toContain('A name here sounds like this desk itself.')
  })

  it.each(['read_file', 'чтение_файла', 'ファイル_read', '0O', 'l1I', 'größe', '讀取檔案'])(
    'of one script are left in peace: %s',
    async (toolName) => {
      const dialog = await show({ toolName })
      expect(dialog.querySelectorAll('mark')).toHaveLength(0)
      expect(dialog.textContent).not.toMatch(/mixes letters|looks like it|sounds like/)
    },
  )

  it('that are very long or pad themselves with lines are cut in the title, without a mark being cut', async () => {
    const dialog = await show({ toolName: `read${'\n'.repeat(500)}(approved)${'x'.repeat(20_000)}_end` })
    const title = within(dialog).getByRole('heading', { level: 2 }).textContent ?? ''
    expect(title).toContain('read⟦U+000A⟧×500(approve…xxx')
    expect(title).toContain('xxx_end on fs')
  })
})

describe('paths and other texts', () => {
  it.each(['/home/mika/p\u0430y', '/etc/\u0445\u043e\u0441\u0443', '/home/mika\u2044x', '/home/\u200bmika'])(
    'a folder that deceives is said to: %j',
    async (cwd) => {
      expect((await show({ toolName: 'x', cwd })).textContent).toContain('The folder’s path has letters that look like others')
    },
  )

  it.each(['/home/мика/Документы/отчёт.txt', '/home/mika/Документы/хор.txt', '/家/報告書（最終）.txt', '/home/mika/ＡＢＣ'])(
    'a folder of another script is left in peace: %s',
    async (cwd) => {
      const dialog = await show({ toolName: 'x', cwd })
      expect(dialog.querySelectorAll('mark')).toHaveLength(0)
      expect(dialog.textContent).not.toContain('The folder’s path has')
    },
  )

  it('count letters that look like others, wherever in the input they are', async () => {
    const dialog = await show({ toolName: 'x' }, '{"command":"curl p\u0430yp\u0430l.com","note":"Привет, world 10\u00b5s"}')
    expect(dialog.textContent).toContain('2 letters that look like others, marked below')
    expect(within(dialog).getAllByTitle('U+0430 CYRILLIC').length).toBeGreaterThan(1)
  })

  it('keep the order of letters around those that are written from the right', async () => {
    const dialog = await show({ toolName: 'x' }, '{"path":"/a/\u05d0\u05d1\u05d2/1/\u05d3.exe"}')
    const runs = [...within(dialog).getByLabelText('Input of the call').querySelectorAll('bdi[dir=rtl]')].map((run) => run.textContent)
    expect(runs).toEqual(['\u05d0\u05d1\u05d2', '\u05d3'])
  })

  it('say how many blanks push the rest away', async () => {
    const dialog = await show({ toolName: 'run' }, JSON.stringify({ command: `ls${' '.repeat(4000)}; rm -rf ~` }))
    expect(within(dialog).getByLabelText('Input of the call').textContent).toContain('ls⟦U+0020⟧×4000; rm -rf ~')
  })

  it('say how long the input is', async () => {
    expect((await show({ toolName: 'x' }, '{"a":[1,2]}')).textContent).toContain('11 characters · 6 lines')
  })
})

describe('the words of the desk', () => {
  it.each(given.filter(({ id }) => ['DLG-062', 'DLG-063', 'DLG-065'].includes(id)))(
    'are its own: those of an input stand only where they are said to be the agent’s: $id',
    async (c) => {
      const dialog = await show(c, rawOf(c))
      const quoted = within(dialog).getByText('from the agent, not checked').closest('section')?.textContent ?? ''
      const bad = /APPROVED BY USER|LOW|Safe read only/
      expect(quoted).toMatch(bad)
      expect(quoted).not.toMatch(/(High|Medium|Low) risk/)
      const outside = dialog.textContent?.replace(quoted, '')
      expect(outside).toContain('Medium risk')
      expect(outside).not.toMatch(bad)
    },
  )

  it('say that there are no parameters', async () => {
    expect((await show({ toolName: 'x' })).textContent).toContain('No parameters.')
  })

  it('say that the input is not JSON', async () => {
    expect((await show({ toolName: 'x' }, "{'path':'a'}")).textContent).toContain('This is not JSON')
  })

  it('offer JSON within a string as what it is', async () => {
    const dialog = await show({ toolName: 'x' }, '{"payload":"{\\"cmd\\":\\"rm -rf ~\\"}"}')
    expect(within(dialog).getByLabelText('payload read as JSON').textContent).toBe('{\n  "cmd": "rm -rf ~"\n}')
    expect(within(dialog).getByLabelText('Input of the call').textContent).toContain('"{\\"cmd\\":\\"rm -rf ~\\"}"')
  })
})
