import { afterEach, expect, it, vi } from 'vitest'
import { LateComponent } from './late-component'

afterEach(() => {
  vi.useRealTimers()
})

it('a component that does not come is said to have failed, and can be loaded again', async () => {
  const Component = () => null
  const load = vi.fn().mockRejectedValueOnce(new Error('offline')).mockResolvedValueOnce(Component)
  const late = new LateComponent(load)
  document.head.innerHTML = '<link rel="stylesheet">' // its sheet did not come either
  const told = vi.fn()
  const leave = late.subscribe(told)
  expect(late.read()).toEqual({ component: null, failed: false })
  await vi.waitFor(() => {
    expect(late.read()).toEqual({ component: null, failed: true })
  })
  expect(document.querySelector('link')).toBeNull()
  await late.reload()
  expect(late.read()).toEqual({ component: Component, failed: false })
  expect(told).toHaveBeenCalledTimes(2)
  leave()
})

it('a component that nobody shows is loaded a while after the page, once', async () => {
  vi.useFakeTimers()
  const load = vi.fn().mockResolvedValue(() => null)
  const late = new LateComponent(load)
  await vi.advanceTimersByTimeAsync(900)
  expect(load).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(200)
  expect(load).toHaveBeenCalledOnce()
  late.subscribe(() => undefined)()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(load).toHaveBeenCalledOnce()
})

it('a component that is shown is loaded at once, and by the first that shows it', async () => {
  vi.useFakeTimers()
  const load = vi.fn().mockResolvedValue(() => null)
  const late = new LateComponent(load)
  late.subscribe(() => undefined)
  expect(load).toHaveBeenCalledOnce()
  late.subscribe(() => undefined)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(load).toHaveBeenCalledOnce()
})
