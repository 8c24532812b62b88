import { cpSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import axe from 'axe-core'
import { expect, test } from 'vitest'
import { openDeskPage, aBrowser } from './harness/browser'
import { setUp, type Setting } from './harness/fixtures'
import { request } from './harness/operator'
import { RulesScreen } from './harness/rules-screen'

const browser = aBrowser()

const home = mkdtempSync(join(tmpdir(), 'sekisho-home-'))
for (const name of ['claude', 'codex', 'gemini', 'opencode']) cpSync(`../backend/history/testdata/homes/${name}`, home, { recursive: true })
process.env.HOME = home
for (const name of ['CLAUDE_CONFIG_DIR', 'CODEX_HOME', 'XDG_DATA_HOME']) Reflect.deleteProperty(process.env, name)

const read = async ({ desk }: Setting) => (await request(desk.url, desk.token, 'GET', '/v1/history')).body as { state: string; result: { calls: number } | null }

test('a history is read when the person says so, proposes rules, and is forgotten', async () => {
  const setting = await setUp([{ id: 'others', effect: 'ask', priority: 0 }])
  const page = await openDeskPage(browser(), setting.desk, {})
  await new RulesScreen(page).open()
  await page.getByRole('button', { name: 'From my history' }).click()
  const panel = page.getByRole('region', { name: 'From my history' })
  await panel.getByRole('button', { name: 'Read the history' }).waitFor()
  expect((await read(setting)).state).toBe('none')
  await panel.getByRole('button', { name: 'Read the history' }).click()
  await panel.getByText('Lets this pass too: git push --force').first().waitFor()
  expect((await read(setting)).result?.calls).toBe(104)
  const figures = (await panel.locator('dl').innerText()).replace(/\s+/g, ' ')
  expect(figures).toContain('104')
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run('section'))
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
  await panel.getByRole('button', { name: 'Open as a draft' }).first().click()
  const form = page.getByRole('form', { name: 'New rule' })
  expect(await form.getByLabel('Only if').inputValue()).toContain('risk ')
  await form.getByRole('button', { name: 'Save' }).click()
  await form.waitFor({ state: 'detached' })
  const rules = (await request(setting.desk.url, setting.desk.token, 'GET', '/v1/rules')).body.rules as unknown[]
  expect(rules).toHaveLength(2)
  await page.getByRole('button', { name: 'From my history' }).click()
  await panel.getByRole('button', { name: 'Forget the result' }).click()
  await panel.getByRole('button', { name: 'Read the history' }).waitFor()
  expect((await read(setting)).state).toBe('none')
})
