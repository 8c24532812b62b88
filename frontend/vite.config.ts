import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'
import { namedBreakpoints } from './breakpoints.ts'
import { firstLoad } from './first-load.ts'
import { shapes } from './schemas.ts'

/** Tests of pure functions: they need no page, and making one costs more than most of them. */
const pure = [
  'src/desk/raw-json.test.ts',
  'src/desk/read-clients.test.ts',
  'src/desk/sse-parser.test.ts',
  'src/features/approvals/answer/reach.test.ts',
  'src/features/approvals/composer/may-match.test.ts',
  'src/features/approvals/queue/queue-reducers.test.ts',
  'src/features/approvals/queue/twins.test.ts',
  'src/features/approvals/queue/worn.test.ts',
  'src/features/approvals/shapes/check-edit.test.ts',
  'src/features/approvals/shapes/members.test.ts',
  'src/features/approvals/shapes/url-parts.test.ts',
  'src/features/rules/arrange.test.ts',
  'src/features/rules/rule-draft.test.ts',
  'src/features/rules/rule-filter.test.ts',
  'src/features/servers/server-draft.test.ts',
  'src/i18n/native.test.ts',
  'src/test/circles.test.ts',
  'src/test/effects.test.ts',
  'src/test/sheets.test.ts',
  'src/ui/diff-view/diff-lines.test.ts',
  'src/ui/json-view/layout-json.test.ts',
  'src/ui/look-alikes.test.ts',
  'src/ui/split-text.test.ts',
  'src/ui/virtual-list/heights.test.ts',
]

/** Tests of what the page loads late: they need a page that has not loaded it. */
const late = ['src/**/late-*.test.{ts,tsx}']

const page = { environment: 'jsdom', setupFiles: ['src/test/setup.ts'] }

/**
 * What is one file: all that the first screen needs, which packed together is smaller than in pieces; what a new desk shows on it, and what
 * dialogs and fields are made of, of which each piece would cost a request. The queries belong to none of them.
 */
const groups = [
  { name: 'first', tags: ['$initial' as const], priority: 3 },
  { name: 'queries', test: /tanstack|src.desk.queries/, priority: 2 },
  { name: 'welcome', test: /src.features.(welcome|agents).(welcome|found-apps|greeting)/, priority: 1 },
  { name: 'parts', test: /frontend.src.(ui|time|lists|desk|app|features.approvals)./ },
]

export default defineConfig({
  plugins: [react(), shapes(), firstLoad()],
  // Relative: the same files are served by the window's asset server and by sekishod.
  base: './',
  build: {
    // The Content-Security-Policy allows files of our own origin, not data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    emptyOutDir: true,
    rolldownOptions: { output: { codeSplitting: { groups } } },
  },
  css: { postcss: { plugins: [namedBreakpoints] } },
  test: {
    css: { modules: { classNameStrategy: 'non-scoped' } },
    restoreMocks: true,
    testTimeout: 30_000,
    maxWorkers: '100%', // by itself it leaves a core to others, which on two is half
    // Beside other checks on two cores a test may run out of time. A second try is reported as such.
    retry: process.env.CI ? 1 : 0,
    projects: [
      // Each file has a document of its own; files of a worker share what they load, which costs more than most of them.
      { extends: true, test: { ...page, name: 'page', include: ['src/**/*.test.{ts,tsx}'], exclude: [...pure, ...late], isolate: false } },
      { extends: true, test: { ...page, name: 'late', include: late } },
      { extends: true, test: { name: 'pure', environment: 'node', include: pure, isolate: false } },
    ],
  },
})
