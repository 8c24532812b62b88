import { expect, test } from 'vitest'
import { aBrowser, openDeskPage } from './harness/browser'
import { choose } from './harness/choose'
import { faults } from './harness/faults'
import { setUp } from './harness/fixtures'
import type { RuleInput } from './harness/operator'
import { RulesScreen } from './harness/rules-screen'

const browser = aBrowser()

const condition = 'risk != "high"'
const rule = (i: number): RuleInput =>
  ({ serverId: 'filesystem', toolName: `tool_${String(i)}`, effect: 'allow', priority: 100 - i, condition })

test('sixteen rules are in view at 900 px; a condition is built in words, and Save stays in its place meanwhile', async () => {
  const { desk } = await setUp(Array.from({ length: 40 }, (_, i) => rule(i)))
  const page = await openDeskPage(browser(), desk, { bypassCSP: true, viewport: { width: 1280, height: 900 } })
  const screen = await new RulesScreen(page).open()
  await screen.row('Only if the risk is not high').first().waitFor()
  const boxes = await screen.rows.evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().toJSON() as DOMRect))
  expect(boxes.filter(({ top, bottom }) => top >= 0 && bottom <= 900).length).toBeGreaterThanOrEqual(16)

  const form = await screen.startEdit('Tool tool_12')
  const save = form.getByRole('button', { name: 'Save' })
  await save.waitFor()
  const before = await save.evaluate((button) => button.getBoundingClientRect().top + window.scrollY)
  await form.getByText(/past calls/).first().waitFor()
  expect(await save.evaluate((button) => button.getBoundingClientRect().top + window.scrollY)).toBe(before)
  await choose(form.getByRole('combobox', { name: 'Narrow it to' }), 'files of a folder')
  expect(await faults(page)).toEqual([])
  await form.getByLabel('Its path').fill('/srv/"a"')
  await form.getByRole('button', { name: 'Add', exact: true }).click()
  await form.getByText('it is in the folder').waitFor()
  await save.click()
  await form.waitFor({ state: 'detached' }) // it shows the same words while it is open
  await screen.row('it is in the folder /srv/"a" (path)').waitFor()
  expect((await desk.rules())[12]?.condition).toBe('risk != "high" && under(input.path, "/srv/\\"a\\"")')
})
