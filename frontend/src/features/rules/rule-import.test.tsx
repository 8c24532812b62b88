import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { DeskError } from '../../desk/desk-error'
import { nothingNew } from '../../desk/fake-answers'
import { FakeDesk } from '../../desk/fake-desk'
import type { RuleDiff } from '../../desk/types'
import { openPanel, openRules, write } from '../../test/rules-page'
import { sampleRule } from '../../test/samples'

let desk: FakeDesk

beforeEach(() => {
  desk = new FakeDesk()
  desk.ruleList = [sampleRule(), sampleRule({ id: 'rest', serverId: null, toolPattern: null, effect: 'ask', priority: 0 })]
})

const open = (hash?: string) => openRules(desk, hash)

describe('import', () => {
  const brought = sampleRule({ id: 'new', toolPattern: 'new_*' })
  const guard = sampleRule({ id: 'guard', effect: 'deny', toolPattern: 'rm*' })
  const diff: RuleDiff = { added: [brought], changed: [{ before: sampleRule(), after: sampleRule({ note: 'noted' }) }], removed: [guard], same: 4, allows: ['new', 'guard'], narrower: nothingNew, policyVersion: 7 }
  const document = JSON.stringify({ format: 'sekisho.rules', version: 1, rules: [brought] })
  const begin = async () => {
    const taken: unknown[] = []
    const take = desk.importRules.bind(desk)
    desk.importRules = (...args) => (taken.push(args), take(...args))
    desk.diffNow = diff
    await open()
    const shown = await openPanel(/^Import/, 'Import rules')
    write(within(shown).getByLabelText('Or paste the document'), document)
    await within(shown).findByText('New: 1. Changed: 1. Removed: 1. The same: 4.')
    return { shown, taken, ticks: () => within(shown).getAllByRole('checkbox'), take: () => within(shown).getByRole('button', { name: 'Import' }) }
  }

  it('shows the difference, waits for a tick of each rule that newly allows, and takes all of it', async () => {
    const { shown, taken, ticks, take } = await begin()
    const rows = within(within(shown).getByRole('list', { name: 'What the import changes' })).getAllByRole('listitem').map((row) => row.textContent)
    expect(rows).toEqual([expect.stringMatching(/^NewAllow.*new_\*.*I agree/), expect.stringMatching(/^RemovedDeny.*rm\*.*I agree/), expect.stringMatching(/^ChangedNowAllow.*ThenAllow.*noted$/)])
    for (const tick of ticks()) {
      expect(take()).toHaveProperty('disabled', true)
      fireEvent.click(tick)
    }
    fireEvent.click(take())
    await screen.findByText('Imported. New: 1. Changed: 1. Removed: 1.')
    expect(taken).toEqual([[document, 'merge', 7, ['new', 'guard']]])
    expect(screen.queryByRole('region', { name: 'Import rules' })).toBeNull()
    await screen.findByText('new_*')
  })

  it('forgets the ticks when the document or the mode is another', async () => {
    const { shown, ticks, take } = await begin()
    for (const tick of ticks()) fireEvent.click(tick)
    expect(take()).toHaveProperty('disabled', false)
    fireEvent.click(within(shown).getByLabelText('are replaced by these'))
    expect(ticks().map((tick) => (tick as HTMLInputElement).checked)).toEqual([false, false])
    for (const tick of ticks()) fireEvent.click(tick)
    write(within(shown).getByLabelText('Or paste the document'), `${document} `)
    expect(ticks().map((tick) => (tick as HTMLInputElement).checked)).toEqual([false, false])
    expect(take()).toHaveProperty('disabled', true)
  })

  it('takes and ticks nothing over a difference that is not of the document as it is now', async () => {
    const { shown, ticks, take, taken } = await begin()
    for (const tick of ticks()) fireEvent.click(tick)
    let settle: (diff: RuleDiff) => void = () => undefined
    desk.diffRules = () => new Promise((done) => { settle = done })
    write(within(shown).getByLabelText('Or paste the document'), `${document} `)
    for (const tick of ticks()) fireEvent.click(tick)
    expect(ticks().map((tick) => (tick as HTMLInputElement).checked)).toEqual([false, false])
    fireEvent.click(take())
    await new Promise((done) => setTimeout(done, 400))
    expect([taken, within(shown).queryByText(/^New: 1/)]).toEqual([[], null])
    await act(async () => {
      settle({ ...diff, added: [], allows: ['guard'] })
      await Promise.resolve()
    })
    expect(within(shown).getByText('New: 0. Changed: 1. Removed: 1. The same: 4.')).toBeTruthy()
    expect(ticks().map((tick) => (tick as HTMLInputElement).checked)).toEqual([false])
    fireEvent.click(take())
    expect(taken).toEqual([])
  })

  it('is to be ticked anew when the rules changed', async () => {
    const { ticks, take } = await begin()
    for (const tick of ticks()) fireEvent.click(tick)
    desk.diffNow = { ...diff, policyVersion: 8 }
    act(() => {
      desk.hint('rules.changed')
    })
    await waitFor(() => {
      expect(ticks().map((tick) => (tick as HTMLInputElement).checked)).toEqual([false, false])
    })
    expect(take()).toHaveProperty('disabled', true)
  })

  it('is refused with what changed meanwhile: nothing is lost, and the ticks are made anew', async () => {
    const { shown, ticks, take } = await begin()
    for (const tick of ticks()) fireEvent.click(tick)
    desk.failures.set('importRules', new DeskError({ code: 'lost_update', message: 'the rules were changed meanwhile' }))
    fireEvent.click(take())
    await within(shown).findByText(/so nothing was taken/)
    expect(within(shown).getByLabelText('Or paste the document')).toHaveProperty('value', document)
    expect(take()).toHaveProperty('disabled', true)
  })

  it('says what is wrong with a document, and where', async () => {
    const { shown } = await begin()
    const paste = within(shown).getByLabelText('Or paste the document')
    write(paste, '{"rules": [}')
    expect((await within(shown).findByRole('alert')).textContent).toBe('Not JSON: line 1, column 12')
    expect(within(shown).queryByRole('checkbox')).toBeNull()
    desk.failures.set('diffRules', new DeskError({ code: 'invalid', fault: { code: 'not_taken', params: {}, field: 'document.rules[3].toolName' }, message: 'longer than 256 bytes' }))
    write(paste, '{"rules": [1]}')
    await within(shown).findByText('The desk says: rules[3].toolName: longer than 256 bytes')
    expect(within(shown).getByRole('button', { name: 'Import' })).toHaveProperty('disabled', true)
  })

  it('takes a very long document without a field for it, and says where that is no JSON', async () => {
    const { shown } = await begin()
    const long = `{"rules":["${'x'.repeat(150_000)}"]}`
    write(within(shown).getByLabelText('Or paste the document'), long)
    await within(shown).findByText('The document is 150,014 characters long.')
    fireEvent.click(within(shown).getByRole('button', { name: 'Take another' }))
    write(within(shown).getByLabelText('Or paste the document'), `${long}]`)
    await within(shown).findByText('Not JSON: line 1, column 150,015')
  })

  it('reads a file', async () => {
    desk.diffNow = diff
    await open()
    const shown = await openPanel(/^Import/, 'Import rules')
    const file = (text: () => Promise<string>) => Object.assign(new File([], 'rules.json', { type: 'application/json' }), { text })
    await userEvent.upload(within(shown).getByLabelText('Choose a file'), file(() => Promise.reject(new Error('it is gone'))))
    expect((await within(shown).findByRole('alert')).textContent).toBe('This file cannot be read.')
    let slow: (text: string) => void = () => undefined
    await userEvent.upload(within(shown).getByLabelText('Choose a file'), file(() => new Promise((done) => { slow = done })))
    await userEvent.upload(within(shown).getByLabelText('Choose a file'), file(() => Promise.resolve(document)))
    await within(shown).findByText(/^New: 1/)
    await act(async () => {
      slow('{"rules": []}') // the one that was chosen before
      await Promise.resolve()
    })
    expect(within(shown).queryByRole('alert')).toBeNull()
    expect(within(shown).getByLabelText('Or paste the document')).toHaveProperty('value', document)
  })
})
