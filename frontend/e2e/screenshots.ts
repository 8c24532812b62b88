/** Pictures of the desk: those of the README and its pages in docs/, and an album of all screens and shapes in a folder to look at. */
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { test } from 'vitest'
import { aBrowser, openDeskPage, openPage, type PageOptions } from './harness/browser'
import { busyDesk, shapes } from './harness/busy-desk'
import type { Desk } from './harness/desk'
import { request } from './harness/operator'
import { inDocs } from './harness/paths'
import { pause } from './harness/wait'

const browser = aBrowser()
const album = process.env.ALBUM ?? join(tmpdir(), 'sekisho-screenshots')
mkdirSync(album, { recursive: true })
mkdirSync(inDocs(''), { recursive: true })

async function show(desk: Desk, options: PageOptions, screen: string): Promise<Page> {
  const page = await openDeskPage(browser(), desk, { reducedMotion: 'reduce', ...options })
  await go(page, screen)
  return page
}

async function go(page: Page, screen: string): Promise<void> {
  await page.evaluate((hash) => {
    window.location.hash = hash
  }, `#/${screen}`)
  await pause(800)
}

/** The dialog with all that it shows, and Approve ready where nothing is left to be read. */
async function settled(page: Page): Promise<void> {
  await page.getByRole('alertdialog').locator('[data-ready="true"]').waitFor()
  await pause(2_500)
}

test('the pictures of the README', async () => {
  const { desk, ask } = await busyDesk()
  const options = { colorScheme: 'light', deviceScaleFactor: 1.5, viewport: { width: 1100, height: 790 } } as const
  const shape = async (name: keyof typeof shapes) => {
    const call = shapes[name]
    if (!call) throw new Error(`no shape ${name}`)
    return ask(call)
  }
  await (await show(desk, options, 'rules')).screenshot({ path: inDocs('rules.png') })
  await (await show(desk, options, 'activity')).screenshot({ path: inDocs('activity.png') })

  const asked = await shape('difference')
  const page = await show(desk, options, 'waiting')
  await settled(page)
  await page.screenshot({ path: inDocs('approval.png') })
  await page.getByRole('button', { name: /^Always/ }).click()
  await pause(1_200)
  await page.screenshot({ path: inDocs('always.png') })
  await desk.decide(asked, true)

  const command = await shape('command')
  const dark = await show(desk, { ...options, colorScheme: 'dark', locale: 'ja-JP' }, 'waiting')
  await settled(dark)
  await dark.screenshot({ path: inDocs('command-ja.png') })
  await desk.decide(command, false, 'Not while the build runs.')
  const tester = await show(desk, options, `rules?test=${command.id}`)
  await tester.locator('main [role="status"]').first().waitFor()
  await tester.screenshot({ path: inDocs('tester.png') })

  await request(desk.url, desk.token, 'PATCH', '/v1/coordination', { on: true })
  await (await show(desk, options, 'work')).screenshot({ path: inDocs('work.png') })
})

const sizes = { large: { width: 1280, height: 900 }, medium: { width: 900, height: 700 }, small: { width: 560, height: 420 } }
const looks = ['en-US', 'ja-JP', 'zh-TW', 'ru-RU'].flatMap((locale) => (['light', 'dark'] as const).map((colorScheme) => ({ locale, colorScheme })))

test.each(looks)('an album in $locale, $colorScheme', async ({ locale, colorScheme }) => {
  const { desk, ask } = await busyDesk()
  const options = { locale, colorScheme }
  const picture = async (page: Page, what: string) => {
    for (const [size, viewport] of Object.entries(sizes)) {
      await page.setViewportSize(viewport)
      await pause(200)
      await page.screenshot({ path: join(album, `${what}-${size}-${locale}-${colorScheme}.png`) })
    }
  }
  await picture(await openPage(browser(), desk.url, options), 'sign-in')
  const page = await show(desk, options, 'waiting')
  for (const screen of ['waiting', 'rules', 'grants', 'activity', 'insights', 'work', 'servers', 'agents', 'settings']) {
    await go(page, screen)
    await picture(page, screen)
  }
  for (const [name, call] of Object.entries(shapes)) {
    const asked = await ask(call)
    await settled(page)
    await picture(page, `dialog-${name}`)
    await desk.decide(asked, false)
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
  }
  for (const call of Object.values(shapes)) await ask(call, 'evening') // what was declined in a session is declined there again
  await settled(page)
  await page.getByRole('alertdialog').locator('header button').last().click()
  await pause(500)
  await picture(page, 'drawer')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await go(page, 'waiting')
  await picture(page, 'queue')
}, 300_000)
