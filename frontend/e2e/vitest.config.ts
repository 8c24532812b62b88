import { defineConfig } from 'vitest/config'

// Real programs. Files with a browser or a graphical session of their own wait more than they
// work, and run some at a time. One after the other run those that look at the clock.
const alone = ['alone-*.test.ts', 'window-lives.test.ts']

const common = {
  environment: 'node',
  testTimeout: 120_000,
  hookTimeout: 60_000,
  // A window beside other checks on two cores may lose a key. Further tries are reported as such.
  retry: process.env.CI ? 2 : 0,
} as const

// Files of one worker share what they load: playwright alone takes a second.
const isolate = false

// The pictures of the README are made on request: they differ in each run by times and ids.
// So are the figures, which say nothing beside other work.
const onRequest = process.env.SCREENSHOTS ? ['screenshots.ts'] : process.env.BENCH ? ['bench-*.ts'] : undefined

export default defineConfig({
  root: import.meta.dirname,
  test: {
    reporters: ['verbose'],
    globalSetup: ['harness/settings.ts'],
    projects: onRequest
      ? [{ test: { ...common, name: 'on request', include: onRequest, fileParallelism: false } }]
      : [
          { test: { ...common, name: 'alone', include: alone, maxWorkers: 1, fileParallelism: false, sequence: { groupOrder: 0 } } },
          { test: { ...common, name: 'beside', include: ['*.test.ts'], exclude: alone, maxWorkers: 4, isolate, sequence: { groupOrder: 1 } } },
        ],
  },
})
