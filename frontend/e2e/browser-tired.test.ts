import { describe, expect, test } from 'vitest'
import { openDeskPage, aBrowser } from './harness/browser'
import { ApprovalDialog, notices } from './harness/dialog'
import { setUp, type Setting } from './harness/fixtures'
import { ask } from './harness/operator'
import { pause, until } from './harness/wait'

const browser = aBrowser()

/** A near-identical call, as an agent makes them that does not take a no. */
const send = ({ desk, agentToken }: Setting, n: number, more: Record<string, unknown> = {}) => ask(desk.url, agentToken, 'send', { sessionId: 'spring', input: { n }, ...more })

describe('a person who declines the same again and again', () => {
  test('is asked once, may have quiet for 15 minutes, and other sessions are asked about as ever', async () => {
    const setting = await setUp()
    const page = await openDeskPage(browser(), setting.desk)
    for (let n = 0; n < 3; n++) {
      await send(setting, n)
      await (await new ApprovalDialog(page, 'send').shown()).pressDecline()
      await until('the decline', async () => (await setting.desk.calls('declined')).length === n + 1)
    }
    await send(setting, 3)
    await send(setting, 4)
    await send(setting, 5, { sessionId: 'autumn' })
    const card = page.getByRole('alertdialog', { name: 'You declined send 3 times within ten minutes' })
    await card.waitFor()
    expect(await page.getByRole('alertdialog').count()).toBe(1)
    await until('both calls', async () => (await card.innerText()).includes('2 calls wait'))
    expect(await card.locator('footer').getByRole('button').first().innerText()).toBe('Decline all of this kind for 15 minutes')
    const kind = card.getByRole('button', { name: 'Decline all of this kind for 15 minutes' })
    await until('the button', () => kind.isEnabled())
    await kind.click()
    const other = await new ApprovalDialog(page, 'send').shown()
    expect((await setting.desk.calls()).map(({ status }) => status)).toEqual(['declined', 'declined', 'declined', 'declined', 'declined', 'pending'])
    expect(await notices(page)).toContain('2 declined')
    await send(setting, 6)
    await until('the no that was given before', async () => (await setting.desk.calls('declined')).length === 6)
    await other.pressDecline()
    await other.gone()
  })

  test('looks at them one by one, and a second browser shows the same card', async () => {
    const setting = await setUp()
    for (let n = 0; n < 3; n++) {
      await send(setting, n)
      await setting.desk.decide(await setting.desk.firstPending(), false)
    }
    await send(setting, 3)
    await send(setting, 4)
    const pages = [await openDeskPage(browser(), setting.desk), await openDeskPage(browser(), setting.desk)]
    const cards = pages.map((page) => page.getByRole('alertdialog', { name: 'You declined send 3 times within ten minutes' }))
    for (const card of cards) await card.waitFor()
    const [page] = pages
    const [card, elsewhere] = cards
    if (!page || !card || !elsewhere) throw new Error('no page')
    await card.getByRole('button', { name: 'Review one by one' }).click()
    const dialog = await new ApprovalDialog(page, 'send').shown()
    await dialog.pressApprove()
    await until('the yes', async () => (await setting.desk.calls('approved')).length === 1)
    await pause(300)
    expect((await setting.desk.calls('pending')).length).toBe(1)
  })
})
