import { fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { DeskProvider } from '../../desk/desk-context'
import { DeskError } from '../../desk/desk-error'
import { FakeDesk } from '../../desk/fake-desk'
import type { Difference } from '../../desk/types'
import { I18nProvider } from '../../i18n/i18n'
import { DifferencesPanel } from './differences-panel'

const pattern: Difference = { id: 'd1', set: 'rules', key: 'reads', journal: { id: 'reads', toolPattern: 'fs.read_*', priority: 1 }, table: { id: 'reads', toolPattern: 'fs*read_*', priority: 1 } }
const agent: Difference = { id: 'd2', set: 'agents', key: 'a-1', journal: null, table: { id: 'a-1', name: 'evil' } }
const damaged: Difference = { id: 'd3', set: 'journal', key: '17', journal: null, table: null }

function shown(...differences: Difference[]): FakeDesk {
  const desk = new FakeDesk()
  desk.differencesNow = differences
  render(
    <I18nProvider>
      <DeskProvider desk={desk}>
        <DifferencesPanel />
      </DeskProvider>
    </I18nProvider>,
  )
  return desk
}

describe('what is not as the journal says', () => {
  it('shows both versions of what differs, and takes the one that a person picks', async () => {
    const desk = shown(pattern)
    const row = within(await screen.findByRole('listitem'))
    expect(row.getAllByRole('row').map((r) => r.textContent)).toEqual(['WhatAs the journal saysAs it stands', 'toolPatternfs.read_*fs*read_*'])
    fireEvent.click(row.getByRole('button', { name: 'Restore as the journal says' }))
    await waitFor(() => { expect(screen.queryByRole('listitem')).toBeNull() })
    expect(desk.settled).toEqual([['journal', 'd1']])
  })

  it('takes all at once, but for a journal that is damaged itself', async () => {
    const desk = shown(damaged, pattern, agent)
    fireEvent.click(await screen.findByRole('button', { name: 'Keep all as they stand' }))
    await waitFor(() => { expect(desk.settled).toEqual([['table', 'd1', 'd2']]) })
    const left = within(await screen.findByRole('listitem'))
    expect(left.getByText(/The journal itself is damaged/).textContent).toContain('17')
    expect(left.queryByRole('button', { name: 'Restore as the journal says' })).toBeNull()
  })

  it('says that the name of the journal is lost', async () => {
    const desk = shown({ ...damaged, key: 'name' })
    expect((await screen.findByRole('listitem')).textContent).toContain('The name of the journal is lost')
    fireEvent.click(screen.getByRole('button', { name: 'Keep as it stands' }))
    await waitFor(() => { expect(desk.settled).toEqual([['table', 'd3']]) })
  })

  it('says what was refused, and lists nothing where nothing differs', async () => {
    const desk = shown(agent)
    desk.failures.set('settleDifferences', new DeskError({ code: 'stale', message: 'look again' }))
    fireEvent.click(await screen.findByRole('button', { name: 'Remove it, as the journal says' }))
    expect((await screen.findByRole('alert')).textContent).not.toBe('')
    desk.differencesNow = []
    desk.hint('state.settled')
    await waitFor(() => { expect(screen.queryByRole('heading')).toBeNull() })
  })
})
