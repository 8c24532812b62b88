import { describe, expect, it } from 'vitest'
import type { Server } from '../../desk/types'
import { serverDraft, serverOf } from './server-draft'

const base: Server = { id: 'odd', transport: 'stdio', command: 'sh', args: [], env: {}, cwd: '', url: '', headers: {}, enabled: true, state: 'idle', tools: [] }

const texts = ['', ' ', 'plain', ' blanks around ', 'set -e\nsleep 1', '\r\n', '"', '""', '"quoted"', '"a\\nb"', 'a\\nb', '"open', '{"a":1}', '********', 'x=y', '関所', '\u2028', '\t', '"\\ud800"', '"a" "b"']

/** Every pair of odd texts, in a list. */
const pairs = texts.flatMap((a) => texts.map((b) => [a, b] as const))

describe('a server as lines of text', () => {
  it.each(pairs)('is the same when nothing was touched: %j %j', (a, b) => {
    const server = { ...base, command: ` ${a}`, args: [a, b], env: { A: a, B: b }, cwd: a }
    expect(serverOf(serverDraft(server), server)).toEqual(server)
  })

  it.each(pairs)('keeps the other lines when one is written: %j %j', (a, b) => {
    const server = { ...base, args: [a, b], env: { A: a, B: b } }
    const draft = serverDraft(server)
    const edited = { ...draft, args: `${draft.args}\n--last`, env: `${draft.env}\nC=1` }
    expect(serverOf(edited, server)).toEqual({ ...server, args: [a, b, '--last'], env: { A: a, B: b, C: '1' } })
  })

  it('takes what a person writes as it is, and a JSON string as what stands in it', () => {
    const draft = { ...serverDraft(base), args: '-c\n\n"a\\nb"\n"open\n""', env: 'EMPTY=\nPEM="a\\nb"', transport: 'stdio' as const }
    expect(serverOf(draft, base)).toMatchObject({ args: ['-c', 'a\nb', '"open', ''], env: { EMPTY: '', PEM: 'a\nb' } })
    expect(serverOf({ ...draft, env: 'A=1\nB' }, base)).toEqual({ field: 'env', line: 2 })
  })
})
