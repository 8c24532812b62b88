import { expect, test } from 'vitest'
import { aBrowser, openDeskPage, screenLink } from './harness/browser'
import { setUp } from './harness/fixtures'
import { request } from './harness/operator'
import { until } from './harness/wait'

const browser = aBrowser()

/** As much of a server as this test looks at. */
interface Kept {
  args: string[]
  env: Record<string, string>
  cwd: string
}

const odd = {
  id: 'odd',
  transport: 'stdio',
  command: 'sh',
  args: ['-c', 'set -e\nsleep 1', '--label', '', ' blank ', '"quoted"', 'a\\nb'],
  env: { PEM: '-----BEGIN-----\nA=B\n\n-----END-----', EMPTY: '', SPACED: ' x ', QUOTED: '"q"' },
  cwd: '/tmp',
  enabled: false,
}

test('an edit of a folder, an argument and a variable leaves the others, with line ends, blanks and nothing in them', async () => {
  const { desk } = await setUp()
  await desk.putServers([odd])
  const page = await openDeskPage(browser(), desk)
  await screenLink(page, 'Servers').click()
  const kept = async () => ((await request(desk.url, desk.token, 'GET', '/v1/servers')).body.servers as Kept[])[0]
  const before = await kept()
  if (!before) throw new Error('no server')
  expect(before.args).toEqual(odd.args)
  await page.getByRole('button', { name: 'Edit odd' }).click()
  const form = page.getByRole('form')
  const [args, env] = [form.getByLabel('Arguments'), form.getByLabel('Environment')]
  await form.getByLabel('Folder').fill('/var')
  await args.fill(`${await args.inputValue()}\n--last`)
  await env.fill(`${await env.inputValue()}\nMORE=1`)
  await form.getByRole('button', { name: 'Save' }).click()
  await form.waitFor({ state: 'detached' })
  const after = await until('the edit', async () => {
    const now = await kept()
    return now?.cwd === '/var' ? now : undefined
  })
  expect(after.args).toEqual([...before.args, '--last'])
  expect(Object.keys(after.env).sort()).toEqual([...Object.keys(before.env), 'MORE'].sort())
  for (const [name, value] of Object.entries(before.env)) expect([name, after.env[name]]).toEqual([name, value])
})
