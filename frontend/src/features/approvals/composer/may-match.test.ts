import { describe, expect, it } from 'vitest'
import type { RuleForm } from '../../../desk/types'
import { mayMatch } from './use-composer'

const form = (part: Partial<RuleForm>): RuleForm => ({
  serverId: 'fs',
  toolName: null,
  toolPattern: null,
  effect: 'allow',
  priority: 1,
  enabled: true,
  note: '',
  ...part,
})
const call = { serverId: 'fs', toolName: 'read_text_file' }

describe('a rule that is offered for a call', () => {
  it.each<[string, Partial<RuleForm>, boolean]>([
    ['its tool', { toolName: 'read_text_file' }, true],
    ['another tool', { toolName: 'read_file' }, false],
    ['another server', { serverId: 'shell', toolName: 'read_text_file' }, false],
    ['any server', { serverId: null, toolName: 'read_text_file' }, true],
    ['every tool', {}, true],
    ['a pattern that fits', { toolPattern: 'read_*' }, true],
    ['a pattern with stretches in order', { toolPattern: '*ad*text*file' }, true],
    ['a pattern with stretches out of order', { toolPattern: '*file*text*' }, false],
    ['a pattern that needs more than there is', { toolPattern: 'read_text*text_file' }, false],
    ['a pattern that does not fit', { toolPattern: 'write_*' }, false],
    ['a pattern without a star', { toolPattern: 'read_text_file' }, true],
    ['a name beside a pattern, which then means nothing', { toolName: 'x', toolPattern: '*' }, false],
    ['one that does not allow', { effect: 'ask' }, false],
    ['one that is off', { enabled: false }, false],
  ])('%s: %o is %s', (_, part, offered) => {
    expect(mayMatch(form(part), call)).toBe(offered)
  })

  it('is about a server, when it names one', () => {
    expect(mayMatch(form({}), { serverId: null, toolName: 'x' })).toBe(false)
    expect(mayMatch(form({ serverId: null }), { serverId: null, toolName: 'x' })).toBe(true)
  })
})
