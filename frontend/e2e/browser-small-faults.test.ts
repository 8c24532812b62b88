import { expect, test } from 'vitest'
import { aBrowser, openDeskPage } from './harness/browser'
import { setUp } from './harness/fixtures'

const browser = aBrowser()

test('in a small window with reduced motion what is written counts at once, and the menu closes however soon a link is taken', async () => {
  const { desk } = await setUp()
  const page = await openDeskPage(browser(), desk, { reducedMotion: 'reduce', viewport: { width: 560, height: 420 } })
  await page.locator('button[popovertarget]').waitFor()
  // Lists measure where they put their rows.
  const moved = await page.evaluate(() => {
    const row = document.createElement('div')
    document.body.append(row)
    const before = row.getBoundingClientRect().top
    row.style.marginBlockStart = '50px'
    return row.getBoundingClientRect().top - before
  })
  expect(moved).toBe(50)

  // In one task: what the browser tells of an opened popover comes after it.
  const open = await page.evaluate(() => {
    document.querySelector<HTMLElement>('button[popovertarget]')?.click()
    document.querySelector<HTMLElement>('nav a[href="#/rules"]')?.click()
    return document.querySelectorAll('[popover]:popover-open').length
  })
  expect(open).toBe(0)
  await page.getByRole('heading', { level: 1, name: 'Rules' }).waitFor()
})
