import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, it } from 'vitest'
import { DeskError } from '../../desk/desk-error'
import { FakeDesk } from '../../desk/fake-desk'
import { renderAt } from '../../test/render'
import { FlaggedTools } from './flagged-tools'

const tool = {
  toolName: 'read_fi\u217ce',
  flags: [
    { at: '/name', kind: 'lookAlike' as const, count: 1, characters: ['U+217C'], looksLike: 'read_file' },
    { at: '/inputSchema/x', kind: 'tags' as const, count: 3, characters: ['U+E0041'], looksLike: '' },
  ],
}

it('says what deceives, and denies exactly that tool before every other rule', async () => {
  const desk = new FakeDesk()
  await desk.createRule({ serverId: 'fs', toolName: null, toolPattern: '*', effect: 'allow', priority: 700, enabled: true, note: '' })
  renderAt(desk, <FlaggedTools server="fs" tools={[tool]} />)
  expect(screen.getByText(/Name: 1 character that passes for another \(U\+217C\)/)).toBeTruthy()
  expect(screen.getByText(/3 tag characters/).textContent).toContain('/inputSchema/x')
  desk.failures.set('createRule', new DeskError({ code: 'unreachable', message: '' }))
  fireEvent.click(screen.getByRole('button', { name: /^Block/ }))
  await screen.findByRole('alert')
  desk.failures.clear()
  fireEvent.click(screen.getByRole('button', { name: /^Block/ }))
  await screen.findByText('Blocked: a new rule denies this tool.')
  await waitFor(() => {
    expect(desk.ruleList.find((rule) => rule.toolName === tool.toolName)).toMatchObject({ serverId: 'fs', effect: 'deny', priority: 700, enabled: true })
  })
})
