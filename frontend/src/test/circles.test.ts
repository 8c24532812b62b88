import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((file) => join('src', file))
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\./.test(file))

/** The files that a file needs to be there before it: its imports, but what it loads later. */
function needs(file: string): string[] {
  const paths = [...readFileSync(file, 'utf8').matchAll(/(?:from|^import) '(\.[^']+)'/gm)].map(([, path = '']) => join(dirname(file), path))
  return paths.flatMap((path) => files.filter((other) => other === `${path}.ts` || other === `${path}.tsx`))
}

/** The way from a file back to it, along what files need; null where there is none. */
function circle(graph: ReadonlyMap<string, readonly string[]>, start: string): string[] | null {
  const ways = [[start]]
  const seen = new Set<string>()
  for (let way = ways.pop(); way; way = ways.pop()) {
    for (const next of graph.get(way.at(-1) ?? '') ?? []) {
      if (next === start) return [...way, next]
      if (!seen.has(next)) ways.push([...way, next])
      seen.add(next)
    }
  }
  return null
}

it('no two files need each other', () => {
  const graph = new Map(files.map((file) => [file, needs(file)]))
  expect([...graph.values()].flat().length).toBeGreaterThan(1000)
  expect(circle(new Map([['a', ['b']], ['b', ['c']], ['c', ['a']]]), 'a')).toEqual(['a', 'b', 'c', 'a'])
  expect(files.map((file) => circle(graph, file)).filter((way) => way !== null)).toEqual([])
})
