import { act, renderHook } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { useKept } from './use-kept'

const blank = { text: '' }
const open = (owner: string) => renderHook(() => useKept('place', owner, blank))
/** As a reload leaves it: nothing unmounts. */
const reloaded = (owner: string) => {
  const kept = sessionStorage.getItem('sekisho.draft.place')
  return { kept, text: open(owner).result.current[0].text }
}

describe('useKept', () => {
  beforeEach(() => {
    sessionStorage.clear()
  })

  it('gives back after a reload what was written, to its owner alone', () => {
    const { result } = open('call-1')
    act(() => {
      result.current[1]({ text: 'half' })
    })
    expect(reloaded('call-1').text).toBe('half')
    expect(reloaded('call-2').text).toBe('')
    expect(reloaded('call-1').text).toBe('') // dropped for another
  })

  it('keeps nothing of what is closed, nor of what was not touched', () => {
    const { result, unmount } = open('call-1')
    expect(sessionStorage).toHaveLength(0)
    act(() => {
      result.current[1]({ text: 'half' })
    })
    expect(sessionStorage).toHaveLength(1)
    unmount()
    expect(sessionStorage).toHaveLength(0)
  })

  it('begins anew where what was kept is damaged', () => {
    sessionStorage.setItem('sekisho.draft.place', '{')
    expect(open('call-1').result.current[0]).toBe(blank)
  })
})
