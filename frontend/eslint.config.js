import js from '@eslint/js'
import { readdirSync } from 'node:fs'
import reactHooks from 'eslint-plugin-react-hooks'
import tseslint from 'typescript-eslint'

const rooms = ['ui', 'desk', 'i18n', 'styles']
const features = readdirSync(`${import.meta.dirname}/src/features`)

/** Forbids imports by path patterns, each with the reason of the plan of the house. */
function forbid(files, patterns) {
  return {
    files,
    rules: { 'no-restricted-imports': ['error', { patterns: patterns.map(([group, message]) => ({ group, message })) }] },
  }
}

const generated = [['**/wailsjs/**'], 'Only src/desk talks to Go.']
const upwards = (room) => [
  ['**/features/**', '**/app/**', ...rooms.filter((r) => r !== room).map((r) => `**/${r}/**`)],
  `src/${room} knows nobody.`,
]

export default tseslint.config(
  { ignores: ['dist', 'node_modules', 'wailsjs', 'test-results'] },
  js.configs.recommended,
  tseslint.configs.strict,
  reactHooks.configs.flat['recommended-latest'],
  {
    rules: {
      'no-console': 'error',
      'no-eval': 'error',
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true, named: true, defaultFrom: true } }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
    },
  },
  { files: ['**/*.config.{js,ts}'], rules: { 'no-restricted-exports': 'off' } },
  {
    files: ['src/**'],
    ignores: ['src/desk/**'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...['fetch', 'EventSource', 'WebSocket', 'XMLHttpRequest'].map((name) => ({ name, message: 'Only src/desk talks to the desk.' })),
      ],
    },
  },
  {
    files: ['src/**/*.tsx'],
    ignores: ['**/*.test.tsx'],
    rules: { 'max-lines': ['error', { max: 120, skipBlankLines: true, skipComments: true }] },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: 'JSXAttribute[name.name="dangerouslySetInnerHTML"]', message: 'Nothing is rendered as HTML.' },
        { selector: 'JSXAttribute[name.name="style"]', message: 'Looks belong in a CSS module.' },
      ],
    },
  },
  forbid(['src/app/**', 'src/main.tsx'], [generated]),
  ...rooms.filter((r) => r !== 'desk').map((room) => forbid([`src/${room}/**`], [generated, upwards(room)])),
  forbid(['src/desk/**'], [upwards('desk')]),
  ...features.map((feature) =>
    forbid([`src/features/${feature}/**`], [
      generated,
      [['**/app/**'], 'Features stand below the app.'],
      [features.filter((f) => f !== feature).map((f) => `**/${f}/**`), 'Features never import each other.'],
    ]),
  ),
)
