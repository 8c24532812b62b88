import { expect, test } from 'vitest'
import { aBrowser, openDeskPage } from './harness/browser'
import { choose } from './harness/choose'
import { faults } from './harness/faults'
import { setUp } from './harness/fixtures'
import { request, type RuleInput } from './harness/operator'
import { RulesScreen } from './harness/rules-screen'
import { until } from './harness/wait'

const browser = aBrowser()

const many = Array.from({ length: 40 }, (_, i): RuleInput => ({ id: `r${String(i)}`, serverId: 'filesystem', toolName: `tool_${String(i)}`, effect: 'allow', priority: 100 - i, condition: 'risk != "high"' }))

async function opened(rules: readonly RuleInput[]) {
  const setting = await setUp(rules)
  const page = await openDeskPage(browser(), setting.desk, { bypassCSP: true })
  await page.setViewportSize({ width: 1280, height: 900 })
  const screen = await new RulesScreen(page).open()
  const inForce = async () => (await request(setting.desk.url, setting.desk.token, 'GET', '/v1/rules')).body.rules as (RuleInput & { enabled: boolean })[]
  return { page, screen, inForce }
}

test('sixteen rules are in view at 900 px, with their conditions in words', async () => {
  const { screen } = await opened(many)
  await screen.row('Only if the risk is not high').first().waitFor()
  const inView = await screen.rows.evaluateAll((rows) => rows.filter((row) => row.getBoundingClientRect().top >= 0 && row.getBoundingClientRect().bottom <= window.innerHeight).length)
  expect(inView).toBeGreaterThanOrEqual(16)
})

test('a condition is built in words, and Save stays where it is while the desk looks at it', async () => {
  const { page, screen, inForce } = await opened(many.slice(0, 2))
  const form = await screen.startEdit('Tool tool_1')
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
  expect((await inForce())[1]?.condition).toBe('risk != "high" && under(input.path, "/srv/\\"a\\"")')
})

test('what is written and not added yet is saved too: a rule is never wider than what its form says', async () => {
  const { screen, inForce } = await opened(many.slice(0, 1))
  const form = await screen.startEdit('Tool tool_0')
  await choose(form.getByRole('combobox', { name: 'Narrow it to' }), 'files of a folder')
  await form.getByLabel('Its path').fill('/srv/a')
  await form.getByRole('button', { name: 'Save' }).click()
  await form.waitFor({ state: 'detached' })
  expect((await inForce())[0]?.condition).toBe('risk != "high" && under(input.path, "/srv/a")')
})

test('many are switched off at once, and on again by one Undo', async () => {
  const { page, screen, inForce } = await opened(many.slice(0, 3))
  await page.getByRole('checkbox', { name: 'Choose all rules in view' }).check()
  await page.getByRole('button', { name: 'Switch off' }).click()
  await page.getByText('Switched off: 3 rules').waitFor()
  expect((await inForce()).filter(({ enabled }) => enabled)).toHaveLength(0)
  await screen.row('Off').first().waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await until('all on', async () => (await inForce()).filter(({ enabled }) => enabled).length === 3)
})
