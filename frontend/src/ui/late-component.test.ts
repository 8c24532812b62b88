import { expect, it, vi } from 'vitest'
import { LateComponent } from './late-component'

it('a component that does not come is said to have failed, and can be loaded again', async () => {
  const Component = () => null
  const load = vi.fn().mockRejectedValueOnce(new Error('offline')).mockResolvedValueOnce(Component)
  const late = new LateComponent(load)
  const told = vi.fn()
  const leave = late.subscribe(told)
  expect(late.read()).toEqual({ component: null, failed: false })
  await vi.waitFor(() => {
    expect(late.read()).toEqual({ component: null, failed: true })
  })
  await late.reload()
  expect(late.read()).toEqual({ component: Component, failed: false })
  expect(told).toHaveBeenCalledTimes(2)
  leave()
})
