import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { DeskError } from '../../desk/desk-error'
import { FakeDesk } from '../../desk/fake-desk'
import type { Grant } from '../../desk/types'
import { renderAt } from '../../test/render'
import { sampleClassPart, sampleCoverage, sampleRule } from '../../test/samples'
import { GrantsScreen } from './grants-screen'

const grant = (part: Partial<Grant>): Grant => ({
  id: 'grant-1', agentId: 'a', agentName: 'helper', sessionId: 's-1', scope: 'class',
  covers: sampleCoverage({ code: 'commands', serverId: 'shell', toolName: 'run', parts: [sampleClassPart('git log', '/w')] }), approved: true, reason: '', callId: 'call-1', createdAt: '2026-01-01T00:00:00.000Z', expiresAt: null, hits: 0, ...part,
})

let desk: FakeDesk

beforeEach(() => {
  desk = new FakeDesk()
})

describe('live grants', () => {
  it('says what each covers, whose it is, how often it was used and how long it lasts', async () => {
    const soon = new Date(Date.now() + 272_000).toISOString()
    desk.grantList = [
      grant({}),
      grant({ id: 'b', covers: sampleCoverage({ serverId: null, toolName: 'look' }), hits: 2, expiresAt: soon }),
      grant({ id: 'c', scope: 'session', covers: sampleCoverage({ code: 'server', serverId: 'shell', maxRisk: 'low' }), approved: false, hits: 1 }),
    ]
    renderAt(desk, <GrantsScreen />)
    const [first, second, third] = (await screen.findAllByRole('row')).filter((row) => row.getAttribute('aria-level') === '2').map((row) => row.textContent)
    expect(first).toMatch(/git log by run on shell, in \/w.*session s-1.*up to medium risk.*used 0 times.*Allow.*until the session ends/)
    expect(second).toMatch(/look, a tool of the agent’s own.*used 2 times.*4:3[0-2] left/)
    expect(third).toMatch(/everything on shell.*up to low risk.*used 1 time.*Deny/)
    const kept = screen.getAllByRole('link', { name: 'Keep as a rule' })
    expect(kept.map((link) => link.getAttribute('href'))).toEqual(['#/rules?grant=grant-1', '#/rules?grant=b'])
  })

  it('ends one, and says when it could not', async () => {
    desk.grantList = [grant({})]
    renderAt(desk, <GrantsScreen />)
    desk.failures.set('endGrant', new DeskError({ code: 'unavailable', message: '' }))
    fireEvent.click(await screen.findByRole('button', { name: 'End' }))
    await screen.findByText('The desk is closing or busy. Try again.')
    desk.failures.clear()
    fireEvent.click(screen.getByRole('button', { name: 'End' }))
    await screen.findByText('No grants')
    expect(screen.queryByRole('alert')).toBeNull()
  })

  it('counts the rules that allow too, and only those in force', async () => {
    const past = '2020-01-01T00:00:00.000Z'
    desk.ruleList = [sampleRule({ id: 'a' }), sampleRule({ id: 'b', enabled: false }), sampleRule({ id: 'c', expiresAt: past }), sampleRule({ id: 'd', effect: 'ask' })]
    renderAt(desk, <GrantsScreen />)
    const link = await screen.findByRole('link', { name: '1 rule also allows without asking' })
    expect(link.getAttribute('href')).toBe('#/rules?effect=allow')
  })

  it('holds everything and lets go again', async () => {
    renderAt(desk, <GrantsScreen />)
    fireEvent.click(await screen.findByRole('button', { name: 'Hold everything' }))
    const release = await screen.findByRole('button', { name: 'Stop holding' })
    expect(desk.settingsNow.hold).toBe(true)
    expect(release.getAttribute('aria-pressed')).toBe('true')
    fireEvent.click(release)
    await waitFor(() => {
      expect(desk.settingsNow.hold).toBe(false)
    })
  })

  it('follows what happens elsewhere', async () => {
    renderAt(desk, <GrantsScreen />)
    await screen.findByText('No grants')
    act(() => {
      desk.grantList = [grant({})]
      desk.hint('grants.changed')
    })
    await screen.findByRole('treegrid', { name: 'Live grants' })
  })
})
