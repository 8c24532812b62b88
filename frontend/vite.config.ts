import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'
import { namedBreakpoints } from './breakpoints.ts'
import { firstLoad } from './first-load.ts'

export default defineConfig({
  plugins: [react(), firstLoad()],
  // Relative: the same files are served by the window's asset server and by sekishod.
  base: './',
  build: {
    // The Content-Security-Policy allows files of our own origin, not data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    emptyOutDir: true,
    // One file of all that the first screen needs: packed together it is smaller than in pieces.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] } } },
  },
  css: { postcss: { plugins: [namedBreakpoints] } },
  test: {
    environment: 'jsdom',
    include: ['src/**/*.test.{ts,tsx}'],
    setupFiles: ['src/test/setup.ts'],
    css: { modules: { classNameStrategy: 'non-scoped' } },
    restoreMocks: true,
    testTimeout: 30_000,
  },
})
