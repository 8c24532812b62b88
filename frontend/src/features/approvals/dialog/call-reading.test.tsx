import { fireEvent, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { DeskError } from '../../../desk/desk-error'
import { FakeDesk } from '../../../desk/fake-desk'
import type { PendingCall, RiskReason, Summary } from '../../../desk/types'
import { I18nProvider } from '../../../i18n/i18n'
import { codeWords, loadFirstWords, loadWords } from '../../../i18n/words'
import { sampleCommand, sampleLook, sampleSummary } from '../../../test/looks'
import { renderAt } from '../../../test/render'
import { sampleCall } from '../../../test/samples'
import { CallReading } from './call-reading'
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
  const { container } = renderAt(
    desk,
    <CallReading call={call} looked={looked} id="line" edited={edited}>
      <CallWarnings call={call} id="risk" />
      <ToolLevel call={call} frozen={false} />
    </CallReading>,
  )
  return { desk, container, line: () => container.querySelector('#line')?.textContent }
}

const reason = (code: string): RiskReason => ({ code, params: { verb: 'delete', name: 'rm' }, text: code, at: null })

it('says what a line runs, and what the programs do that are left out', () => {
  const { line } = show(sampleCall(), sampleLook({ summary: sampleSummary(runs) }))
  expect(line()).toBe('Runs 6 programs: git reads, curl sends and writes a file, and 2 more (reads)')
})

it('says that a part of it is not known, beside what is', () => {
  const summary = sampleSummary({ ...runs, code: 'runs_unclear', rest: [] })
  expect(show(sampleCall(), sampleLook({ summary })).line()).toBe(
    'Runs something that its text does not tell; besides: git reads and curl sends and writes a file',
  )
})

it('says a summary of tomorrow in the words of the desk, and shows what hides in names', () => {
  expect(show(sampleCall(), sampleLook({ summary: sampleSummary({ code: 'of_tomorrow', text: 'does more' }) })).line()).toBe('does more')
  const named = sampleSummary({ params: { tool: 're\u202ead', server: 'fs' } })
  expect(show(sampleCall(), sampleLook({ summary: named })).line()).not.toBe('Calls re\u202ead of fs')
})

it('tells of an edited input by its tool alone, and of none of its parts', () => {
  const command = sampleCommand([], { parts: [{ name: 'git log', effects: ['reads'], writes: [] }, { name: '', effects: ['writes'], writes: ['a'] }] })
  const look = sampleLook({ summary: sampleSummary(runs), command })
  expect(show(sampleCall(), look, true).line()).toBe('Calls write_file of filesystem')
  expect(screen.queryByRole('list', { name: 'Parts of the command' })).toBeNull()
  show(sampleCall(), look)
  const parts = [...screen.getByRole('list', { name: 'Parts of the command' }).children].map((part) => part.textContent)
  expect(parts).toEqual(['git log reads', 'the shell writes a'])
})

it('has the plural forms of Russian', async () => {
  await loadFirstWords('ru')
  await loadWords(codeWords, 'ru')
  const call = sampleCall()
  const of = (count: number) => {
    const look = sampleLook({ summary: sampleSummary({ ...runs, params: { count, more: 0 }, rest: [] }) })
    const { container } = renderAt(
      new FakeDesk(),
      <I18nProvider first="ru">
        <CallReading call={call} looked={{ known: true, look, fileChanged: false, version: '' }} id="line" edited={false}>
          {null}
        </CallReading>
      </I18nProvider>,
    )
    return container.querySelector('#line')?.textContent
  }
  expect(of(2)).toBe('Запускает 2 программы: git — читает и curl — отправляет и записывает файл')
  expect(of(5)).toContain('Запускает 5 программ:')
  expect(of(21)).toContain('Запускает 21 программу:')
})

it('says of low risk what is true', () => {
  show(sampleCall({ risk: 'low', riskReasons: [] }))
  expect(screen.getByText('Sekisho reads every part of it: nothing is changed or sent.')).toBeTruthy()
  expect(screen.queryByText(/Nobody has checked/)).toBeNull()
})

it('does not say so where a person called the tool low', () => {
  show(sampleCall({ risk: 'low', riskReasons: [reason('person')] }))
  expect(screen.queryByText(/Sekisho reads every part/)).toBeNull()
  expect(screen.getByText('A person set the level of this tool')).toBeTruthy()
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
