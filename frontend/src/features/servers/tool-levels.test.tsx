import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, it } from 'vitest'
import { DeskError } from '../../desk/desk-error'
import { FakeDesk } from '../../desk/fake-desk'
import type { Server } from '../../desk/types'
import { choose } from '../../test/choose'
import { renderAt } from '../../test/render'
import { ToolLevels } from './tool-levels'

const server: Server = {
  id: 'fs', transport: 'stdio', command: 'x', args: [], env: {}, cwd: '', url: '', headers: {}, enabled: true, state: 'running',
  tools: ['read', 'write'],
  toolLevels: [
    { toolName: 'write', risk: 'medium', at: '2026-01-02T03:04:05.000Z', void: false },
    { toolName: 'gone', risk: 'low', at: '2026-01-02T03:04:05.000Z', void: true },
  ],
}

function open(desk: FakeDesk, of = server) {
  const { container } = renderAt(desk, <ToolLevels server={of} />)
  const details = container.querySelector('details')
  if (!details) return null
  details.open = true
  fireEvent(details, new Event('toggle'))
  return details
}

it('has a level for each tool, says since when, and what is void', async () => {
  const desk = new FakeDesk()
  desk.serverList = [server]
  const details = open(desk)
  expect(details?.querySelector('summary')?.textContent).toContain('1 level is void')
  const select = (tool: string) => screen.getByLabelText<HTMLSelectElement>(`Level of ${tool}`)
  expect(['gone', 'read', 'write'].map((tool) => select(tool).value)).toEqual(['own', 'own', 'medium'])
  expect(screen.getByText(/Set by a person/)).toBeTruthy()
  expect(screen.getByText(/You had set Low risk/)).toBeTruthy()
  await choose(select('read'), 'High risk')
  await waitFor(() => {
    expect(desk.serverList[0]?.toolLevels).toContainEqual(expect.objectContaining({ toolName: 'read', risk: 'high' }))
  })
  await choose(select('write'), 'Sekisho’s own reading')
  await waitFor(() => {
    expect(desk.serverList[0]?.toolLevels?.some(({ toolName }) => toolName === 'write')).toBe(false)
  })
})

it('says that a level could not be set', async () => {
  const desk = new FakeDesk()
  desk.failures.set('setToolRisk', new DeskError({ code: 'unreachable', message: '' }))
  open(desk)
  await choose(screen.getByLabelText('Level of read'), 'Low risk')
  await screen.findByRole('alert')
})

it('is not there for a server without tools', () => {
  expect(open(new FakeDesk(), { ...server, tools: [], toolLevels: [] })).toBeNull()
})
