import { act, renderHook, waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { DeskProvider } from './desk-context'
import { DeskError } from './desk-error'
import { FakeDesk } from './fake-desk'
import { renew } from './follow'
import { useLive } from './live'
import { useAnswer, useLoaded, useShared } from './queries'

const at = (desk: FakeDesk) => ({ wrapper: ({ children }: { children: ReactNode }) => <DeskProvider desk={desk}>{children}</DeskProvider> })
const away = new DeskError({ code: 'unreachable', message: 'away' })
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))

afterEach(() => {
  vi.useRealTimers()
})

it('asks for what rows share when the first of them is shown, and again after nobody showed it', async () => {
  vi.useFakeTimers()
  const desk = new FakeDesk()
  const settings = vi.spyOn(desk, 'settings')
  const row = () => renderHook(() => useShared('settings'), at(desk))
  const first = row()
  await pass(200)
  const second = row()
  expect(second.result.current.data).toEqual(desk.settingsNow)
  await pass(200)
  first.unmount()
  const third = row()
  await pass(200)
  expect(settings).toHaveBeenCalledTimes(1)
  desk.hint('settings.changed')
  await pass(200)
  expect(settings).toHaveBeenCalledTimes(2)
  second.unmount()
  third.unmount()
  row()
  await pass(200)
  expect(settings).toHaveBeenCalledTimes(3)
})

describe.each([
  ['the cache of queries', useLoaded],
  ['a store of the first load', useLive],
] as const)('%s', (_, useResource) => {
  it('loads once what is shown twice, again after its events, and after no others', async () => {
    vi.useFakeTimers()
    const desk = new FakeDesk()
    const settings = vi.spyOn(desk, 'settings')
    renderHook(() => [useResource('settings'), useResource('settings')], at(desk))
    await pass(200)
    expect(settings).toHaveBeenCalledTimes(1)
    desk.hint('settings.changed')
    desk.hint('settings.changed')
    desk.hint('agents.changed')
    await pass(200)
    expect(settings).toHaveBeenCalledTimes(2)
    await act(() => renew(desk, ['settings']))
    expect(settings).toHaveBeenCalledTimes(3)
  })

  it('asks nothing by itself while events come, but what failed, and when it is looked at what changes without one; nothing in a hidden page', async () => {
    vi.useFakeTimers()
    const desk = new FakeDesk()
    desk.eventsNow = true
    const [settings, trouble] = [vi.spyOn(desk, 'settings'), vi.spyOn(desk, 'trouble')]
    const { result } = renderHook(() => [useResource('settings'), useResource('trouble')] as const, at(desk))
    await pass(31_000)
    expect([settings.mock.calls.length, trouble.mock.calls.length]).toEqual([1, 1])
    window.dispatchEvent(new Event('focus'))
    await pass(31_000)
    expect([settings.mock.calls.length, trouble.mock.calls.length]).toEqual([1, 2])
    desk.hint('desk.trouble')
    await pass(31_000)
    expect([settings.mock.calls.length, trouble.mock.calls.length]).toEqual([1, 3])
    desk.failures.set('settings', away)
    desk.hint('settings.changed')
    await pass(1000)
    expect([result.current[0].error?.code, result.current[0].data]).toEqual(['unreachable', desk.settingsNow])
    desk.failures.clear()
    await pass(15_000)
    expect(result.current[0].error).toBeNull()
    const before = [settings.mock.calls.length, trouble.mock.calls.length]
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
    desk.eventsNow = false
    await pass(60_000)
    expect([settings.mock.calls.length, trouble.mock.calls.length]).toEqual(before)
  })

  it('asks nothing any more once nobody shows it', async () => {
    vi.useFakeTimers()
    const desk = new FakeDesk()
    const settings = vi.spyOn(desk, 'settings')
    const { unmount } = renderHook(() => useResource('settings'), at(desk))
    await pass(200)
    unmount()
    desk.hint('settings.changed')
    await pass(60_000)
    expect(settings).toHaveBeenCalledTimes(1)
  })
})

it('an answer is of what was written before, until the desk has answered what is asked now', async () => {
  const desk = new FakeDesk()
  const preview = vi.spyOn(desk, 'preview')
  const { result, rerender } = renderHook(({ ids }) => useAnswer(20, 'preview', [{ delete: ids }]), {
    ...at(desk),
    initialProps: { ids: ['a'] },
  })
  expect(result.current).toEqual({ data: null, error: null, current: false })
  await waitFor(() => {
    expect(result.current.current).toBe(true)
  })
  rerender({ ids: ['b'] })
  rerender({ ids: ['c'] })
  expect([result.current.data, result.current.current]).toEqual([desk.previewNow, false])
  await waitFor(() => {
    expect(result.current.current).toBe(true)
  })
  expect(preview.mock.calls).toEqual([[{ delete: ['a'] }], [{ delete: ['c'] }]])
})
