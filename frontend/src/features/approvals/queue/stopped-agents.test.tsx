import { act, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { FakeDesk } from '../../../desk/fake-desk'
import { renderAt } from '../../../test/render'
import { StoppedAgents } from './stopped-agents'

const show = (desk: FakeDesk, stoppedUntil: string | null) => {
  desk.agentList = [{ id: 'a', name: 'claude', createdAt: '2026-01-01T00:00:00.000Z', stoppedUntil, role: null, userId: '' }]
  renderAt(
    desk,
    <main tabIndex={-1}>
      <StoppedAgents />
    </main>,
  )
}

it('lets an agent go on, and the focus stays on the screen', async () => {
  const desk = new FakeDesk()
  show(desk, new Date(Date.now() + 600_000).toISOString())
  const button = await screen.findByRole('button', { name: 'Let claude go on' })
  button.focus()
  await userEvent.keyboard('{Enter}')
  await waitFor(() => {
    expect(screen.queryByRole('button')).toBeNull()
  })
  expect(desk.agentList[0]?.stoppedUntil).toBeNull()
  await waitFor(() => {
    expect(document.activeElement?.tagName).toBe('MAIN')
  })
})

it('no timer runs for an agent that nobody stopped', async () => {
  const desk = new FakeDesk()
  desk.eventsNow = true
  vi.useFakeTimers()
  try {
    show(desk, null)
    await act(() => vi.advanceTimersByTimeAsync(20_000))
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})
