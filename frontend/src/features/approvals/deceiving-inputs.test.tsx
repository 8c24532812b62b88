import { screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { FakeDesk } from '../../desk/fake-desk'
import cases from '../../test/data/dialogs.json'
import { renderAt } from '../../test/render'
import { sampleCall } from '../../test/samples'
import { characterName, codePoint, isHidden } from '../../ui/hidden-characters'
import { ApprovalDialog } from './approval-dialog'

interface Case {
  id: string
  cls: string
  toolName: string
  serverId: string
  args?: unknown
  argsRaw?: string
}

/** Values too long to write down are {"$repeat":[text,n]} and {"$concat":[…]}. */
function value(v: unknown): unknown {
  if (typeof v !== 'object' || v === null) return v
  if ('$repeat' in v && Array.isArray(v.$repeat)) return String(v.$repeat[0]).repeat(Number(v.$repeat[1]))
  if ('$concat' in v && Array.isArray(v.$concat)) return v.$concat.map(value).join('')
  return Object.fromEntries(Object.entries(v).map(([key, inner]) => [key, value(inner)]))
}

/** The same input as each of two careless serializers would send it. */
function ways(c: Case): string[] {
  if (c.argsRaw !== undefined) return [c.argsRaw]
  const raw = JSON.stringify(value(c.args))
  return [raw, raw.replace(/[^\x20-\x7e]/g, (unit) => '\\u' + unit.charCodeAt(0).toString(16).padStart(4, '0'))]
}

async function show(c: Case, raw: string) {
  const desk = new FakeDesk()
  const call = sampleCall({ toolName: c.toolName, serverId: c.serverId })
  desk.put(call, raw)
  renderAt(desk, <ApprovalDialog call={call} position={1} total={1} onAnswer={() => Promise.resolve(null)} onLater={() => undefined} />)
  const dialog = screen.getByRole('alertdialog')
  await waitFor(() => {
    expect(dialog.textContent).toContain('Copy as sent')
  })
  return dialog
}

const hiddenOf = (text: string) => [...new Set([...text].filter(isHidden))]

/** Reads a chip back: what stood in the text, as often as it stood there. */
function unmark(chip: Element): string {
  const [, escape = '', times = '1'] = /^(.*?)⟦U\+[0-9A-F]+⟧(?:×(\d+))?$/.exec(chip.textContent ?? '') ?? []
  const point = /^U\+([0-9A-F]+)/.exec(chip.getAttribute('title') ?? '')?.[1] ?? ''
  return (escape || String.fromCodePoint(parseInt(point, 16))).repeat(Number(times))
}

/** The text that a person can read out of the view, with the marks taken back. */
function sent(node: Node): string {
  if (node instanceof Element && node.tagName === 'MARK') return unmark(node)
  return node.childNodes.length === 0 ? (node.textContent ?? '') : [...node.childNodes].map(sent).join('')
}

/** Without the blanks between tokens. */
const packed = (raw: string) => raw.replace(/"(?:[^"\\]|\\.)*"|\s+/gsu, (part) => (part.startsWith('"') ? part : ''))

describe.each((cases as Case[]).flatMap((c) => ways(c).map((raw, i) => ({ ...c, raw, way: i === 0 ? 'raw' : 'escaped' }))))('$id $cls, $way', (c) => {
  it('is shown just as it was sent, and makes no element', async () => {
    const dialog = await show(c, c.raw)
    expect(packed(sent(within(dialog).getByLabelText('Input of the call')))).toBe(packed(c.raw))
    expect(dialog.querySelectorAll('img, iframe, form, a, meta, base, h1, script')).toHaveLength(0)
  })

  it('has every hidden character marked, named and counted', async () => {
    const dialog = await show(c, c.raw)
    const shown = dialog.textContent ?? ''
    const input = typeof c.args === 'object' && c.args ? Object.values(c.args).map(value).join('').replace(/[\n\t]/g, '') : ''
    for (const character of [...hiddenOf(input), ...hiddenOf(c.toolName), ...hiddenOf(c.serverId)]) {
      expect(dialog.querySelector(`mark[title="${codePoint(character)} ${characterName(character)}"]`)?.textContent).toContain(codePoint(character))
      expect([...shown]).not.toContain(character)
    }
    const count = [...input].filter(isHidden).length
    if (count > 0) expect(shown).toContain(`${String(count)} hidden character`)
    if (hiddenOf(c.toolName).length > 0) expect(shown).toContain('A name here has 1 hidden character.')
  })
})

describe('names', () => {
  it.each(['git_\u0455tatus', 'g\u0435t'])('of mixed scripts are marked: %s', async (toolName) => {
    const dialog = await show({ id: '', cls: '', toolName, serverId: 'fs' }, '{}')
    expect(dialog.textContent).toContain('mixes letters of different scripts')
    expect(within(dialog).getAllByTitle(/^U\+04/).length).toBeGreaterThan(0)
  })
})

describe('the words of the desk', () => {
  it('say that there are no parameters', async () => {
    expect((await show({ id: '', cls: '', toolName: 'x', serverId: 'fs' }, '{}')).textContent).toContain('No parameters.')
  })

  it('say that the input is not JSON', async () => {
    expect((await show({ id: '', cls: '', toolName: 'x', serverId: 'fs' }, "{'path':'a'}")).textContent).toContain('This is not JSON')
  })
})
