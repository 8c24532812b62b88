import { act, render } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { sampleLook } from '../../../test/looks'
import { Folds } from '../../../ui/folds'
import { LateWorkspace } from './late-reading'

vi.mock('./call-workspace', () => {
  throw new Error('no such file')
})

it('counts where a call runs as not shown while that is not there, and when it does not come', async () => {
  let notShown = 0
  const onFold = () => {
    notShown++
    return () => {
      notShown--
    }
  }
  const looked = { known: true, look: sampleLook({}), fileChanged: false, version: '' }
  render(
    <Folds value={onFold}>
      <LateWorkspace looked={looked} edited={false} />
    </Folds>,
  )
  expect(notShown).toBe(1)
  await act(() => import('./call-workspace').then(null, () => undefined)) // as the dialog does, which hears of it before
  await act(() => Promise.resolve())
  expect(notShown).toBe(1)
})
