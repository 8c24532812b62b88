import { defineConfig } from 'vitest/config'

// Real programs, one file after the other: two windows or browsers at once would
// take the focus from each other.
export default defineConfig({
  root: import.meta.dirname,
  test: {
    environment: 'node',
    // The pictures of the README are made on request: they differ in each run by times and ids.
    // So are the figures, which say nothing beside other work.
    include: process.env.SCREENSHOTS ? ['screenshots.ts'] : process.env.BENCH ? ['bench-*.ts'] : ['*.test.ts'],
    fileParallelism: false,
    maxWorkers: 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['verbose'],
  },
})
