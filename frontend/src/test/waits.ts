import { configure, getConfig } from '@testing-library/react'

/**
 * How tests wait. What they wait for may take long on a busy machine; it must come all the same. It may be true at the desk a moment before
 * the page shows it: after each wait, answers, queries and React have their turns, by the real clock.
 */
const { setTimeout: soon } = globalThis
const { asyncWrapper } = getConfig()
configure({
  asyncUtilTimeout: 10_000,
  asyncWrapper: (wait) =>
    asyncWrapper(async () => {
      const found = await wait()
      for (let turn = 0; turn < 3; turn++) await new Promise((next) => soon(next))
      return found
    }),
})
