import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { languages } from './catalogue'
import { allWords, say } from '../test/words'
import { serverErrorText, serverRefusal } from './server-refusal'

const backend = (path: string) => readFileSync(join(process.cwd(), '../backend', path), 'utf8')
const t = (key: string, values = {}) => say('en', key, values)

/** What a file of the desk says in permission.Invalid, field and sentence. */
function said(path: string): [string, string][] {
  return [...backend(path).matchAll(/\bInvalid\((.+), "(.+)"\)$/gm)].map(([, field = '', sentence = '']) => [field, sentence])
}

describe('the desk’s own words for why it does not take a server', () => {
  const all = [...said('permission/party.go'), ...said('desk/servers.go')]

  it('are all known to us, in every language', () => {
    expect(all.length).toBeGreaterThan(16)
    for (const [field, sentence] of all) {
      const known = serverRefusal(sentence)
      expect(known, sentence).not.toBeNull()
      const named = field.includes('+') // the field's last part is a name
      if (known) for (const language of languages) expect(String(allWords[language][known.key]).includes('{name}'), sentence).toBe(named)
    }
  })

  it.each([
    ['this header belongs to the messages: the desk writes it', 'servers[2].headers.Mcp-Id', 'The desk writes the header Mcp-Id itself.'],
    ["a header's value is one line", 'server.headers.X-A', 'The value of the header X-A must be one line.'],
    [
      'masked, but there is no kept value under this name',
      'servers[0].env.A: b.c',
      'A: b.c is ********, but no value is kept under this name.',
    ],
    [
      'servers[1].env.A: b.c: masked, but there is no kept value under this name',
      undefined,
      'A: b.c is ********, but no value is kept under this name.',
    ],
    [
      'servers[12].command: a command, argument or folder holds no NUL',
      undefined,
      'A command, an argument or a folder holds no NUL character.',
    ],
    ['of a later desk', 'servers[0].command', 'The desk says: of a later desk'],
  ])('%j of %j are ours', (message, field, words) => {
    expect(serverErrorText(t, { code: 'invalid', message, field })).toBe(words)
  })

  it('are those of a refusal alone', () => {
    expect(serverErrorText(t, { code: 'lost_update', message: 'this id is reserved' })).toBe('Someone else changed this meanwhile.')
    expect(serverErrorText(t, { code: 'broken', message: 'this id is reserved' })).toBe('The desk says: this id is reserved')
  })
})
