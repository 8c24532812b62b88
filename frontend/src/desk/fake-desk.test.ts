import { expect, it } from 'vitest'
import { sampleRule } from '../test/samples'
import { FakeDesk } from './fake-desk'

it('a fake desk gives each rule an id of its own', async () => {
  const desk = new FakeDesk()
  const { id, createdAt, updatedAt, hits, lastHitAt, examples, ...form } = sampleRule({ id: 'rule-1' })
  desk.ruleList = [{ ...form, id, createdAt, updatedAt, hits, lastHitAt, examples }]
  await desk.createRule(form)
  await desk.createRule(form)
  const ids = desk.ruleList.map((rule) => rule.id)
  expect(new Set(ids).size).toBe(3)
})
