// The package's hand-written types against the desk's own description of its REST.

import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { test } from 'node:test'

const read = (path) => readFileSync(new URL(path, import.meta.url), 'utf8')
const { components, paths } = JSON.parse(read('../../../frontend/openapi.json'))
const source = read('../src/api.ts')

/** The members of an interface of the source: its names, and which may be left out. */
function members(name) {
  const body = new RegExp(`interface ${name} \\{\\n([^]*?)\\n\\}`).exec(source)[1]
  return [...body.matchAll(/^  (\w+)(\??):/gm)].map(([, member, optional]) => ({ member, optional }))
}

for (const [name, schema] of Object.entries({ Call: 'Call', Question: 'AskInBody', Verdict: 'Verdict' })) {
  test(`${name} is what the desk calls ${schema}`, () => {
    const { properties, required } = components.schemas[schema]
    const listed = members(name)
    assert.ok(listed.length > 2)
    for (const { member, optional } of listed) {
      assert.ok(properties[member], `${schema} has no ${member}`)
      if (name !== 'Question') assert.ok(required.includes(member) && !optional, member)
    }
    if (name !== 'Question') return
    for (const member of required) assert.ok(listed.some((m) => m.member === member && !m.optional))
  })
}

test('a status is one of the desk', () => {
  const said = /export type Status =([^]*?)\n\n/.exec(source)[1].match(/'(\w+)'/g)
  const names = said.map((word) => word.slice(1, -1)).sort()
  assert.deepEqual(names, [...components.schemas.Status.enum].sort())
})

test('the rows are there', () => {
  for (const row of ['/v1/evaluate', '/v1/calls', '/v1/calls/{id}', '/v1/calls/{id}/claim', '/v1/proof',
    '/v1/calls/{id}/result', '/v1/calls/{id}/cancel', '/v1/runs/{runId}/cancel', '/v1/sessions/{id}/end',
    '/v1/events', '/v1/policy/import']) assert.ok(paths[row], row)
})

test('no file of the source, and so no entry of the package, is over 250 lines of 100 columns', () => {
  const names = readdirSync(new URL('../src/', import.meta.url))
  const { exports } = JSON.parse(read('../package.json'))
  assert.deepEqual(Object.keys(exports), ['.', './ai', './mastra'])
  for (const entry of Object.values(exports)) {
    assert.ok(names.includes(entry.default.replace('./dist/', '').replace('.js', '.ts')), entry.default)
  }
  for (const name of names) {
    const lines = read(`../src/${name}`).trimEnd().split('\n')
    assert.ok(lines.length <= 250, `${name}: ${lines.length}`)
    for (const line of lines) assert.ok(line.length <= 100, `${name}: ${line}`)
  }
})
