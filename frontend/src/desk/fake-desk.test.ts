import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { sampleRule } from '../test/samples'
import { FakeDesk } from './fake-desk'
import { fakeRows } from './fake-transport'

it('a fake desk gives each rule an id of its own', async () => {
  const desk = new FakeDesk()
  const { id, createdAt, updatedAt, hits, lastHitAt, examples, ...form } = sampleRule({ id: 'rule-1' })
  desk.ruleList = [{ ...form, id, createdAt, updatedAt, hits, lastHitAt, examples }]
  await desk.createRule(form)
  await desk.createRule(form)
  const ids = desk.ruleList.map((rule) => rule.id)
  expect(new Set(ids).size).toBe(3)
})

it('a fake desk has no rows but those of the API', () => {
  const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as { paths: Record<string, object> }
  const known = Object.entries(paths).flatMap(([path, verbs]) => Object.keys(verbs).map((verb) => `${verb.toUpperCase()} ${path.replace(/\{\w+\}/g, '{}')}`))
  expect(fakeRows.map((row) => row.replace(/\?.*/, '')).filter((row) => !known.includes(row))).toEqual([])
})
