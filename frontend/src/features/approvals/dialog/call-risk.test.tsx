import { fireEvent, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { DeskError } from '../../../desk/desk-error'
import { FakeDesk } from '../../../desk/fake-desk'
import type { PendingCall, RiskReason, Summary } from '../../../desk/types'
import { sampleCommand, sampleLook, sampleSummary } from '../../../test/looks'
import { renderAt } from '../../../test/render'
import { sampleCall } from '../../../test/samples'
import { CallParts } from './call-parts'
import { CallWarnings } from './call-warnings'
import { ToolLevel } from './tool-level'

const runs: Partial<Summary> = {
  code: 'runs',
  params: { count: 6, more: 2 },
  programs: [
    { program: 'git', effects: ['reads'] },
    { program: 'curl', effects: ['sends', 'writes'] },
  ],
  rest: ['reads'],
}

function show(call: PendingCall, look = sampleLook({}), edited = false) {
  const desk = new FakeDesk()
  const looked = { known: true, look, fileChanged: false, version: '' }
  renderAt(
    desk,
    <>
      <CallWarnings call={call} id="risk" />
      <CallParts looked={looked} edited={edited} />
      <ToolLevel call={call} frozen={false} />
    </>,
  )
  return { desk }
}

const reason = (code: string): RiskReason => ({ code, params: { verb: 'delete', name: 'rm' }, text: code, at: null })

it('tells the parts of a line, and none of an edited input', () => {
  const command = sampleCommand([], { parts: [{ name: 'git log', effects: ['reads'], writes: [] }, { name: '', effects: ['writes'], writes: ['a'] }] })
  const look = sampleLook({ summary: sampleSummary(runs), command })
  show(sampleCall(), look, true)
  expect(screen.queryByRole('list', { name: 'Parts of the command' })).toBeNull()
  show(sampleCall(), look)
  const parts = [...screen.getByRole('list', { name: 'Parts of the command' }).children].map((part) => part.textContent)
  expect(parts).toEqual(['git log reads', 'the shell writes a'])
})

it('tells equal parts in a row once, with how many they are', () => {
  const parts = [...Array.from({ length: 200 }, () => 'echo'), 'ls', 'ls'].map((name) => ({ name, effects: ['reads' as const], writes: [] }))
  show(sampleCall(), sampleLook({ summary: sampleSummary(runs), command: sampleCommand([], { parts }) }))
  const told = [...screen.getByRole('list', { name: 'Parts of the command' }).children].map((part) => part.textContent)
  expect(told).toEqual(['echo reads × 200', 'ls reads', 'ls reads'])
})

it('says of low risk what is true', () => {
  show(sampleCall({ risk: 'low', riskReasons: [] }))
  expect(screen.getByText('Sekisho understands every part of it: nothing is changed or sent.')).toBeTruthy()
  expect(screen.queryByText(/Nobody has checked/)).toBeNull()
})

it('does not say so where a person called the tool low', () => {
  show(sampleCall({ risk: 'low', riskReasons: [reason('person')] }))
  expect(screen.queryByText(/Sekisho understands every part/)).toBeNull()
  expect(screen.getByText('A person set the level of this tool')).toBeTruthy()
})

it('tells each reason once, and the words of a name that say the same together', () => {
  const sends = (verb: string): RiskReason => ({ ...reason('name_sends'), params: { verb } })
  show(sampleCall({ risk: 'high', riskReasons: [sends('send'), reason('hint'), sends('message')] }))
  const told = screen.getAllByRole('listitem', { hidden: true }).map(({ textContent }) => textContent)
  expect(told).toEqual(['The tool’s name says that it sends or publishes: “send, message”', '; Its server says that this tool may destroy'])
})

it('offers to call a tool medium, and says when that is done or refused', async () => {
  const { desk } = show(sampleCall({ risk: 'high', riskReasons: [reason('hint'), reason('name_destroys')] }))
  desk.failures.set('setToolRisk', new DeskError({ code: 'unreachable', message: '' }))
  fireEvent.click(screen.getByRole('button', { name: 'Treat as medium from now on', hidden: true }))
  await screen.findByRole('alert', { hidden: true })
  desk.failures.clear()
  desk.serverList = [{ id: 'filesystem', transport: 'stdio', command: '', args: [], env: {}, cwd: '', url: '', headers: {}, enabled: true, state: '', tools: [] }]
  fireEvent.click(screen.getByRole('button', { name: 'Treat as medium from now on', hidden: true }))
  expect((await screen.findByText(/is medium from now on/)).textContent).toContain('write_file')
  expect(desk.serverList[0]?.toolLevels).toMatchObject([{ toolName: 'write_file', risk: 'medium', void: false }])
})

it.each([
  ['its input raised the risk', { risk: 'high' as const, riskReasons: [reason('hint'), reason('deletes')] }],
  ['the risk is not high', { risk: 'medium' as const, riskReasons: [reason('unknown_tool')] }],
  ['the tool is of no server', { risk: 'high' as const, riskReasons: [reason('name_sends')], serverId: null }],
])('offers no level where %s', (_, part) => {
  show(sampleCall(part))
  expect(screen.queryByText(/Treat/)).toBeNull()
})
