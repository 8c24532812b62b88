import { defineConfig } from 'vitest/config'

// Real programs. Files with a browser of their own wait more than they work, and run three
// at a time. One after the other run what looks at the clock, and the windows: their focus
// and keys come late on a busy machine.
const alone = ['alone-*.test.ts', 'window*.test.ts', 'demo.test.ts']

const common = {
  environment: 'node',
  testTimeout: 60_000,
  hookTimeout: 60_000,
} as const

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
          { test: { ...common, name: 'beside', include: ['*.test.ts'], exclude: alone, maxWorkers: 3, sequence: { groupOrder: 1 } } },
        ],
  },
})
