import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { given, more, value, type DeceivingCase } from '../src/test/deceiving-cases'
import { codePoint, isHidden } from '../src/ui/hidden-characters'
import { aBrowser, openDeskPage } from './harness/browser'
import { askBytes, askCase, cancelCall, placesOf, readings } from './harness/deceit'
import { setUp, type Setting } from './harness/fixtures'
import { pause, until } from './harness/wait'

const browser = aBrowser()

/** Rows that the desk refuses: two readers could read them differently, or none could. */
const refused = ['DLG-072', 'DLG-073', 'DLG-075', 'DLG-083']

/** What every row of a class must show, and what single rows must. */
const byClass: Record<string, string[]> = {
  bidi: ['High risk', 'A file is named that runs when it is opened'],
  control: ['rm -rf ~'],
  blank: ['1 hidden character, marked below'],
  overflow: ['3 lines'],
  'fake-status': ['from the agent, not checked'],
  'tool-description': ['In the agent’s words, unchecked', 'Medium risk'],
}
const byRow: Record<string, string[]> = {
  'DLG-022': ['12 hidden characters, marked below'],
  'DLG-028': ['mixes letters of different scripts', 'git_status', 'though it looks like it'],
  'DLG-029': ['mixes letters of different scripts', 'get', 'though it looks like it'],
  'DLG-034': ['mixes letters of different scripts', 'filesystem', 'though it looks like it'],
  'DLG-035': ['2 hidden characters, marked below'],
  'DLG-053': ['5,000,014 characters', 'characters are folded here', 'Show all'],
  'DLG-055': ['1,997 hidden characters, marked below'],
  'DLG-070': ['A name here sounds like this desk itself.'],
  'DLG-088': ['No parameters.'],
  'DLG-091': ['payload read as JSON'],
}
const argumentsOf = (c: DeceivingCase) => (typeof c.args === 'object' && c.args ? Object.values(c.args).map(value).join('\n') : (c.argsRaw ?? ''))

/** The words of a text that anybody can read. */
function wordsOf(text: string): string[] {
  return text.split(/[^\w.;~<>=/()-]+/).filter((word) => word.length > 1 && word.length < 1000)
}

interface Place extends Setting {
  page: Page
}

async function open(): Promise<Place> {
  const setting = await setUp()
  return { ...setting, page: await openDeskPage(browser(), setting.desk) }
}

/** Puts a row before the person, lets it be looked at, and declines it. */
async function look(c: DeceivingCase, { desk, agentToken, page }: Place, at: (box: Locator) => Promise<void>): Promise<void> {
  const made = await askCase(desk.url, agentToken, c)
  expect(made.status, `${c.id}: ${made.body.slice(0, 300)}`).toBe(201)
  const box = page.locator('[role=alertdialog]')
  await box.getByText('Copy as sent').last().waitFor({ state: 'attached' })
  await until(`${c.id}: all of it to be counted`, async () => !(await box.innerText()).includes('Counting'))
  await at(box)
  await box.getByRole('button', { name: 'Decline' }).click()
  await box.waitFor({ state: 'detached' })
}

/** What is asked of every row, on the screen and in the accessibility tree alike. */
async function readsWell(c: DeceivingCase, box: Locator): Promise<void> {
  const hidden = [...new Set(c.toolName + c.serverId + (c.description ?? '') + argumentsOf(c).replace(/[\n\t]/g, ''))].filter(isHidden)
  const counted = [...argumentsOf(c).replace(/[\n\t]/g, '')].filter(isHidden).length
  const wanted = [
    ...(byClass[c.cls] ?? []),
    ...(byRow[c.id] ?? (counted === 1 ? ['1 hidden character, marked below'] : [])),
    ...hidden.map((character) => `⟦${codePoint(character)}⟧`),
    ...wordsOf(`${c.toolName} ${c.serverId} ${c.description ?? ''} ${argumentsOf(c)}`),
    ...([...(c.toolName + c.serverId)].some(isHidden) ? ['A name here has 1 hidden character. It may pose as another tool or server.'] : []),
  ]
  for (const [how, text] of Object.entries(await readings(box))) {
    expect(wanted.filter((words) => !text.includes(words)), `${c.id}: missing in what is ${how}`).toEqual([])
    expect(hidden.filter((character) => text.includes(character)).map(codePoint), `${c.id}: bare in what is ${how}`).toEqual([])
  }
  expect(await box.locator('img, iframe, form, h1, meta, base, script, embed, object, a:not([href^="#"])').count(), `${c.id}: elements that an input made`).toBe(0)
}

describe('inputs made to deceive', () => {
  const looking = given.filter((c) => c.input === undefined && !refused.includes(c.id))
  test.each([...new Set(looking.map((c) => c.cls))])('read well on the screen and by assistive technology: %s', async (cls) => {
    const place = await open()
    for (const c of looking.filter((one) => one.cls === cls)) await look(c, place, (box) => readsWell(c, box))
  })

  test.each([...new Set(more.map((c) => c.cls))])('and more of their kind: %s', async (cls) => {
    const place = await open()
    for (const c of more.filter((one) => one.cls === cls)) await look(c, place, (box) => readsWell(c, box))
  })

  test('that two readers could read differently are refused', async () => {
    const { desk, agentToken } = await setUp()
    for (const c of given.filter(({ id }) => refused.includes(id))) expect((await askCase(desk.url, agentToken, c)).status, c.id).toBe(400)
    expect(await desk.calls()).toEqual([])
  })

  test('stand in the order in which they are read by programs', async () => {
    const place = await open()
    for (const c of [...given, ...more].filter(({ cls, toolName }) => cls === 'bidi' && toolName === 'write_file')) {
      const point = codePoint([...argumentsOf(c)].find(isHidden) ?? '')
      await look(c, place, async (box) => {
        const places = await placesOf(box.getByLabel('Input of the call'), ['report', `⟦${point}⟧`, 'txt.exe'])
        expect(places, c.id).toHaveLength(3)
        const tops = places.map(({ top }) => top)
        expect(Math.max(...tops) - Math.min(...tops), c.id).toBeLessThan(8)
        expect(places.map(({ left }) => left), c.id).toEqual(places.map(({ left }) => left).toSorted((a, b) => a - b))
      })
    }
  })

  test('have no title that equals the one they pose as', async () => {
    const place = await open()
    for (const c of given.filter(({ cls, toolName }) => cls === 'invisible' && toolName !== 'run')) {
      await look(c, place, async (box) => {
        expect(await box.getByRole('heading', { level: 2 }).innerText()).toMatch(/^scribe wants to run delete⟦U\+[0-9A-F]+⟧_file on fs$/)
      })
    }
  })

  test('speak only where the words are said to be the agent’s', async () => {
    const place = await open()
    for (const c of given.filter(({ id }) => ['DLG-062', 'DLG-063', 'DLG-065'].includes(id))) {
      await look(c, place, async (box) => {
        const quoted = box.locator('section').filter({ has: box.page().getByText('from the agent, not checked') })
        expect(await quoted.getByText(/risk/).count()).toBe(c.id === 'DLG-063' ? 1 : 0)
        const outside = (await box.innerText()).replace(await quoted.innerText(), '')
        expect(outside).toContain('High risk')
        expect(outside).not.toMatch(/APPROVED BY USER|LOW|Safe read only/)
      })
    }
  })

  test('are set in letters that can be told apart', async () => {
    const place = await open()
    const c = { id: 'letters', cls: 'homoglyph', toolName: '0O1lI', serverId: 'fs', args: { path: '0O1lI' } }
    await look(c, place, async (box) => {
      for (const words of [box.getByRole('heading', { level: 2 }).getByText('0O1lI'), box.getByLabel('Input of the call')]) {
        expect(await words.first().evaluate(differentLetters)).toBe(true)
      }
    })
  })
})

/** Draws each letter in an element's font: no two may look the same, and all are equally wide. */
function differentLetters(element: Element): boolean {
  const canvas = document.createElement('canvas')
  const pen = canvas.getContext('2d', { willReadFrequently: true })
  if (!pen) return false
  const drawn = [...'0O1lI'].map((letter) => {
    pen.clearRect(0, 0, 60, 60)
    pen.font = `32px ${getComputedStyle(element).fontFamily}`
    pen.fillText(letter, 10, 40)
    return { width: pen.measureText(letter).width, ink: pen.getImageData(0, 0, 60, 60).data.join() }
  })
  return new Set(drawn.map(({ ink }) => ink)).size === 5 && new Set(drawn.map(({ width }) => width)).size === 1
}

describe('keys and clicks that mean another call, or none', () => {
  const rm = { toolName: 'run', serverId: 'shell', input: '{"command":"rm -rf ~"}' }
  const approveIn = (page: Page) => page.getByRole('alertdialog').getByRole('button', { name: 'Approve', exact: true })
  const ready = (page: Page) => until('Approve to be ready', async () => (await approveIn(page).getAttribute('aria-disabled')) === 'false')
  async function middleOf(button: Locator): Promise<[number, number]> {
    const box = await button.boundingBox()
    return [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2]
  }

  test('a call that takes the place of another under the pointer is not approved (DLG-124)', async () => {
    const { desk, agentToken, page } = await open()
    const first = await askBytes(desk.url, agentToken, rm)
    await ready(page)
    const at = await middleOf(approveIn(page))
    await page.mouse.move(...at)
    const second = await askBytes(desk.url, agentToken, { ...rm, input: '{"command":"rm -rf /"}' })
    await cancelCall(desk.url, agentToken, first.id)
    await pause(10)
    await page.mouse.click(...at)
    await page.getByRole('alertdialog').getByText('rm -rf /', { exact: false }).first().waitFor()
    await page.mouse.click(...at)
    await pause(4_000)
    expect(await desk.call(second.id)).toMatchObject({ status: 'pending' })
  })

  test('two quick clicks approve one call at most (DLG-125)', async () => {
    const { desk, agentToken, page } = await open()
    await askBytes(desk.url, agentToken, rm)
    const second = await askBytes(desk.url, agentToken, { ...rm, input: '{"command":"rm -rf /"}' })
    await ready(page)
    const at = await middleOf(approveIn(page))
    await page.mouse.click(...at, { clickCount: 2, delay: 5 })
    await page.mouse.click(...at)
    await pause(4_500)
    expect(await desk.call(second.id)).toMatchObject({ status: 'pending' })
  })

  test('what is not in view is not approved: a window one pixel wide (DLG-126)', async () => {
    const { desk, agentToken, page } = await open()
    await page.setViewportSize({ width: 1, height: 600 })
    const { id } = await askBytes(desk.url, agentToken, rm)
    await page.getByRole('alertdialog').waitFor({ state: 'attached' })
    await pause(1_800)
    await page.keyboard.press('Control+Enter')
    await pause(4_000)
    expect(await desk.call(id)).toMatchObject({ status: 'pending' })
  })

  test('a click that no person made decides nothing (DLG-128)', async () => {
    const { desk, agentToken, page } = await open()
    const { id } = await askBytes(desk.url, agentToken, rm)
    await ready(page)
    await approveIn(page).evaluate((button) => {
      button.dispatchEvent(new MouseEvent('click', { bubbles: true }))
      if (button instanceof HTMLElement) button.click()
      button.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true }))
    })
    await pause(4_000)
    expect(await desk.call(id)).toMatchObject({ status: 'pending' })
  })

  test('neither Escape nor closing the page decides (DLG-129)', async () => {
    const { desk, agentToken, page } = await open()
    const { id } = await askBytes(desk.url, agentToken, rm)
    await ready(page)
    await page.keyboard.press('Escape')
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    await page.close()
    await pause(500)
    expect(await desk.call(id)).toMatchObject({ status: 'pending' })
  })

  test('an approval carries the hash of what was shown', async () => {
    const { desk, agentToken, page } = await open()
    const { id } = await askBytes(desk.url, agentToken, rm)
    const sent = page.waitForRequest((request) => request.url().endsWith(`/v1/calls/${id}/decision`), { timeout: 60_000 })
    await ready(page)
    await approveIn(page).click()
    const body = JSON.parse((await sent).postData() ?? '{}') as { approved: boolean; inputHash: string; rev: number }
    expect(body).toMatchObject({ approved: true, inputHash: (await desk.call(id)).inputHash })
    await until('the approval', async () => (await desk.call(id)).status === 'approved')
  })
})
