import { act, screen } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { DeskError } from '../../../desk/desk-error'
import type { FakeDesk } from '../../../desk/fake-desk'
import type { ToolLook } from '../../../desk/types'
import { button, eachDialog, tick, type DialogHost } from '../../../test/approval-host'
import { sampleCall, sampleKind } from '../../../test/samples'
import { armingMs } from '../answer/arming'

let desk: FakeDesk
let host: DialogHost

const line = { old: 0, new: 0, count: 0, ending: '' } as const
const tool: ToolLook = {
  serverId: 'filesystem',
  toolName: 'write_file',
  changed: 'definition',
  back: false,
  definition: {
    before: 'h1',
    after: 'h2',
    cut: false,
    added: 1,
    removed: 1,
    more: 0,
    lines: [
      { ...line, kind: 'removed', text: '"Writes."', old: 1 },
      { ...line, kind: 'added', text: '"Sends it a\u202eway."', new: 1 },
    ],
  },
  launch: null,
  shown: { definition: 'h2', launch: 'l1', back: false },
}
const reason = 'the tool changed since it was first allowed: its definition is another'
const changed = () => sampleCall({ why: { rule: null, code: null, params: {}, reason, changed: 'definition', withheld: true } })
const armed = () => tick(armingMs.medium + 10)

eachDialog((now, its) => {
  host = now
  desk = its
})

describe('a call whose tool changed', () => {
  it('shows the difference, says why it asks, and reaches no further', async () => {
    desk.toolLooks = [tool]
    desk.put(changed())
    const text = (await host.open()).textContent
    for (const words of [
      'This tool changed since it was first allowed',
      '"Writes."',
      '⟦U+202E⟧',
      'its tool is not what it was',
      'Approval covers this call only: its tool changed.',
    ])
      expect(text).toContain(words)
    expect(text).not.toContain('No rule decides this call.')
    expect(screen.queryByRole('button', { name: 'Always…' })).toBeNull()
  })

  it('reaches no further either where it waited before its tool changed', async () => {
    desk.toolLooks = [tool]
    desk.put({ ...changed(), ...sampleKind() })
    expect((await host.open()).textContent).toContain('Approval covers this call only: its tool changed.')
    expect(screen.queryByRole('button', { name: 'Always…' })).toBeNull()
  })

  it('is not approved before the difference is there', async () => {
    let tell: (look: ToolLook) => void = () => undefined
    vi.spyOn(desk, 'tool').mockReturnValue(
      new Promise((resolve) => {
        tell = resolve
      }),
    )
    desk.put(changed())
    const dialog = await host.open()
    await armed()
    expect(dialog.textContent).toContain('Loading the input')
    expect(dialog.querySelector('code')?.closest('header')).toBeTruthy() // nothing but the title
    expect(button('Approve').getAttribute('aria-disabled')).toBe('true')
    await act(async () => {
      tell(tool)
      await Promise.resolve()
    })
    await armed()
    expect(button('Approve').getAttribute('aria-disabled')).not.toBe('true')
  })

  it('arms anew when the tool changes once more', async () => {
    desk.toolLooks = [tool]
    desk.put(changed())
    await host.open()
    await armed()
    expect(button('Approve').getAttribute('aria-disabled')).not.toBe('true')
    desk.toolLooks = [{ ...tool, shown: { ...tool.shown, definition: 'h3' } }]
    desk.hint('servers.changed')
    await tick(150)
    expect(button('Approve').getAttribute('aria-disabled')).toBe('true')
  })

  it('shows of a call that changed the difference as it is then, and is not approved before', async () => {
    desk.toolLooks = [tool]
    desk.put(changed())
    const dialog = await host.open()
    await armed()
    let tell: (look: ToolLook) => void = () => undefined
    vi.spyOn(desk, 'tool').mockReturnValue(
      new Promise((resolve) => {
        tell = resolve
      }),
    )
    desk.put({ ...changed(), rev: changed().rev + 1, shownRev: changed().rev + 1 })
    await armed()
    expect(dialog.textContent).not.toContain('"Writes."')
    expect(button('Approve').getAttribute('aria-disabled')).toBe('true')
    await act(async () => {
      tell(tool)
      await Promise.resolve()
    })
    await armed()
    expect(dialog.textContent).toContain('"Writes."')
    expect(button('Approve').getAttribute('aria-disabled')).not.toBe('true')
  })

  it('says that nothing is known of a change, where that is so, and asks for no difference', async () => {
    const asked = vi.spyOn(desk, 'tool')
    desk.put(
      sampleCall({
        why: { rule: null, code: null, params: {}, reason: 'more tools of this server are known than can be watched', changed: 'unknown', withheld: true },
      }),
    )
    const text = (await host.open()).textContent
    for (const words of [
      'The desk cannot tell whether this tool is still what was allowed.',
      'nothing says that its tool is still what was allowed',
    ])
      expect(text).toContain(words)
    for (const words of ['No rule decides', 'could not be loaded', 'This tool changed']) expect(text).not.toContain(words)
    expect(asked).not.toHaveBeenCalled()
  })

  it('says that no rule decides where its tool changed and none would', async () => {
    desk.toolLooks = [tool]
    desk.put(sampleCall({ why: { rule: null, code: 'no_rule', params: {}, reason: 'no rule applies', changed: 'definition' } }))
    const text = (await host.open()).textContent
    expect(text).toContain('No rule decides this call.')
    expect(text).not.toContain('would allow this call')
  })

  it('says when the difference cannot be loaded', async () => {
    desk.failures.set('tool', new DeskError({ code: 'unavailable', message: 'closing' }))
    desk.put(changed())
    expect((await host.open()).textContent).toContain('What changed could not be loaded.')
  })

  it('of other calls nothing is asked', async () => {
    const asked = vi.spyOn(desk, 'tool')
    desk.put(sampleCall())
    expect((await host.open()).textContent).not.toContain('This tool changed')
    expect(asked).not.toHaveBeenCalled()
  })
})

describe('a call whose tool deceives', () => {
  it('says so, and denies the tool for good when asked', async () => {
    const call = sampleCall()
    desk.looks.set(call.id, {
      summary: null,
      file: null,
      command: null,
      last: null,
      flags: [{ at: '/description', kind: 'tags', count: 4, characters: ['U+E0041'], looksLike: '' }],
    })
    desk.put(call)
    const dialog = await host.open()
    expect(dialog.textContent).toContain('Description: 4 tag characters, hidden text for a model alone (U+E0041)')
    await act(async () => {
      button('Block this tool').click()
      await Promise.resolve()
    })
    await tick(50)
    expect(desk.ruleList.at(-1)).toMatchObject({ serverId: call.serverId, toolName: call.toolName, effect: 'deny' })
    expect(dialog.textContent).toContain('Blocked: a new rule denies this tool.')
  })
})
