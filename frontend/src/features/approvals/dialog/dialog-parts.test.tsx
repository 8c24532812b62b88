import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { FakeDesk } from '../../../desk/fake-desk'
import { eachDialog, inert, press, tick, type DialogHost } from '../../../test/approval-host'
import { sampleCommand, sampleLook, sampleSummary } from '../../../test/looks'
import { sampleCall } from '../../../test/samples'
import { armingMs } from '../answer/arming'

let desk: FakeDesk
let host: DialogHost

eachDialog((now, its) => {
  host = now
  desk = its
})

const open = async (count: number) => {
  const parts = Array.from({ length: count }, (_, n) => ({ name: `part-${String(n)}`, effects: ['reads' as const], writes: [] }))
  const call = sampleCall({ risk: 'medium' })
  desk.put(call)
  desk.looks.set(call.id, sampleLook({ summary: sampleSummary({ code: 'runs' }), command: sampleCommand([], { parts }) }))
  await host.open()
  await tick(armingMs.medium + 1000)
}

it('takes no yes while parts of the command were not shown', async () => {
  await open(12)
  expect(screen.queryByText('part-11')).toBeNull()
  expect(screen.getByLabelText('I have not read all of it')).toBeTruthy()
  expect(inert('Approve')).toBe(true)
  await press('Show 4 more parts')
  await tick(armingMs.medium + 1000)
  expect(screen.getByText('part-11')).toBeTruthy()
  expect(inert('Approve')).toBe(false)
})

it('takes one where all of them are shown at once', async () => {
  await open(8)
  expect(inert('Approve')).toBe(false)
})
