import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { DeskError } from '../../desk/desk-error'
import { FakeDesk } from '../../desk/fake-desk'
import { renderAt } from '../../test/render'
import { sampleCall, sampleRule } from '../../test/samples'
import { Welcome } from './welcome'

let desk: FakeDesk

beforeEach(() => {
  desk = new FakeDesk()
})

describe('the first start', () => {
  it('explains itself in three steps and ticks off what is done', async () => {
    desk.ruleList = [sampleRule()]
    renderAt(desk, <Welcome />)
    const steps = await screen.findAllByRole('listitem')
    expect(steps).toHaveLength(3)
    expect(steps.map((step) => step.textContent.includes('done'))).toEqual([false, false, true])
    expect(screen.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual(['#/servers', '#/agents', '#/rules'])
  })

  it('takes neither the demonstration’s agent nor its call for a step', async () => {
    desk.agentList = [{ id: 'd', name: 'sekisho-demo', createdAt: '', stoppedUntil: null, role: null }]
    desk.kept = [sampleCall({ status: 'completed', agentName: 'sekisho-demo' })]
    desk.ruleList = [sampleRule()]
    desk.serverList = [{ id: 's', transport: 'stdio', command: 'x', args: [], env: {}, cwd: '', url: '', headers: {}, enabled: true, state: 'idle', tools: [] }]
    renderAt(desk, <Welcome />)
    const steps = await screen.findAllByRole('listitem')
    expect(steps.map((step) => step.textContent.includes('done'))).toEqual([true, false, true])
  })

  it('offers a demo call, and says when it cannot be sent', async () => {
    const demo = vi.spyOn(desk, 'demo')
    renderAt(desk, <Welcome />)
    const button = await screen.findByRole('button', { name: 'Send a demo call' })
    desk.failures.set('demo', new DeskError({ code: 'unavailable', message: '' }))
    fireEvent.click(button)
    await screen.findByText('The desk is closing or busy. Try again.')
    desk.failures.clear()
    fireEvent.click(button)
    await waitFor(() => {
      expect(screen.queryByRole('alert')).toBeNull()
    })
    expect(demo).toHaveBeenCalledTimes(2)
  })

  it('leaves once everything was done and a call came', async () => {
    desk.ruleList = [sampleRule()]
    desk.agentList = [{ id: 'a', name: 'x', createdAt: '', stoppedUntil: null, role: null }]
    desk.serverList = [{ id: 's', transport: 'stdio', command: 'x', args: [], env: {}, cwd: '', url: '', headers: {}, enabled: true, state: 'idle', tools: [] }]
    renderAt(desk, <Welcome />)
    await screen.findByText('Welcome to the checkpoint')
    act(() => {
      desk.put(sampleCall({ status: 'completed' }))
    })
    await waitFor(() => {
      expect(screen.queryByText('Welcome to the checkpoint')).toBeNull()
    })
  })
})
