import { screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { FakeDesk } from '../../desk/fake-desk'
import type { ClientApp } from '../../desk/types'
import { renderAt } from '../../test/render'
import { Apps } from './apps'

const zed: ClientApp = { client: 'zed', name: 'Zed', found: true, unasked: ['runs_commands', 'hooks_none'], wired: false, spoken: false, firstAt: null }

it('says of each app that was found what it may do unasked, and how far it came', async () => {
  const desk = new FakeDesk()
  desk.apps = [
    zed,
    { ...zed, client: 'codex', name: 'Codex', found: false },
    { ...zed, client: 'cursor', name: 'Cursor', unasked: [], wired: true },
    { ...zed, client: 'gemini', name: 'Gemini CLI', unasked: [], wired: true, spoken: true, firstAt: '2026-01-01T00:00:00Z' },
  ]
  renderAt(desk, <Apps />)
  const part = await screen.findByRole('region', { name: 'Apps on desk-host' })
  expect(part.textContent).toContain('Without asking the desk it can today: run commands')
  expect(part.textContent).toContain('it has no hooks by which it could be made to ask')
  expect(part.textContent).toContain('Quit Cursor and open it again. This waits for its first call.')
  expect(part.textContent).toContain('The first call of Gemini CLI came.')
  expect(within(part).queryByText('Codex')).toBeNull()
})
