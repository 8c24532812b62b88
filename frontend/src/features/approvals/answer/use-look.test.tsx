import { act } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { FakeDesk } from '../../../desk/fake-desk'
import type { FileLook } from '../../../desk/types'
import { sampleFile, sampleLook } from '../../../test/looks'
import { renderAt } from '../../../test/render'
import { lookAgainMs, useLook } from './use-look'

function Shown() {
  const { look, fileChanged } = useLook('call-1')
  return <p>{`${look?.file?.state} ${look?.file?.version}${fileChanged ? ' moved' : ''}`}</p>
}

afterEach(() => {
  vi.useRealTimers()
})

const slow = sampleFile({ state: 'unreadable', code: 'slow', version: '' })

it.each<[string, [FileLook, string], [FileLook, string][]]>([
  [
    'keeps what was shown',
    [sampleFile(), 'changed v1'],
    [
      [slow, 'changed v1'],
      [sampleFile(), 'changed v1'],
    ],
  ],
  [
    'still tells of a change behind it',
    [sampleFile(), 'changed v1'],
    [
      [slow, 'changed v1'],
      [sampleFile({ version: 'v2' }), 'changed v2 moved'],
    ],
  ],
  [
    'is no earlier state of the file',
    [slow, 'unreadable '],
    [
      [sampleFile(), 'changed v1'],
      [sampleFile({ version: 'v2' }), 'changed v2 moved'],
    ],
  ],
])('a disk that does not answer %s', async (_, first, later) => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  const desk = new FakeDesk()
  desk.looks.set('call-1', sampleLook({ file: first[0] }))
  const { container } = renderAt(desk, <Shown />)
  await act(() => vi.advanceTimersByTimeAsync(50))
  for (const [file, text] of [first, ...later]) {
    desk.looks.set('call-1', sampleLook({ file }))
    await act(() => vi.advanceTimersByTimeAsync(lookAgainMs))
    expect(container.textContent).toBe(text)
  }
})
