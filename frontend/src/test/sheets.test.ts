import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'

const sheets = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.module.css'))
  .map((file) => join('src', file))

// A build copies a composed sheet into each sheet that composes it; a copy that is loaded later may not win over rules that were there.
it('a sheet that others compose is in the layer below theirs', () => {
  const composed = new Set(
    sheets.flatMap((sheet) => [...readFileSync(sheet, 'utf8').matchAll(/composes:.* from '(.+)'/g)].map(([, path = '']) => join(dirname(sheet), path))),
  )
  expect(composed.size).toBeGreaterThan(3)
  const outside = (sheet: string) => readFileSync(sheet, 'utf8').replace(/\/\*.*?\*\//gs, '').replace(/^@layer shared \{\n(?: .*\n|\n)*\}$/m, '').trim()
  expect([...composed].filter((sheet) => outside(sheet) !== '')).toEqual([])
  expect(readFileSync('src/main.tsx', 'utf8')).toMatch(/^import '\.\/styles\/base\.css'/)
})
