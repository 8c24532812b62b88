import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { given, more, value, type DeceivingCase } from '../src/test/deceiving-cases'
import { codePoint, isHidden } from '../src/ui/hidden-characters'
import { aBrowser, openDeskPage } from './harness/browser'
import { askBytes, askCase, placesOf, readings } from './harness/deceit'
import { setUp, type Setting } from './harness/fixtures'
import { pause, until } from './harness/wait'

const browser = aBrowser()

/** What a row of a class must show, and what single rows must. */
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
  'DLG-034': ['mixes letters of different scripts', 'filesystem', 'though it looks like it'],
  'DLG-035': ['2 hidden characters, marked below'],
  'DLG-053': ['5,000,014 characters', 'characters are folded here', 'Show all'],
  'DLG-055': ['1,997 hidden characters, marked below'],
  'DLG-070': ['A name here sounds like this desk itself.'],
  'DLG-088': ['No parameters.'],
  'DLG-091': ['payload read as JSON'],
}
/** One of each kind that is drawn or told in a way of its own: page tests look at every row. */
const looking = [
  'DLG-001', 'DLG-011', 'DLG-022', 'DLG-028', 'DLG-034', 'DLG-035', 'DLG-053', 'DLG-055', 'DLG-062', 'DLG-070', 'DLG-088',
  'DLG-090', 'DLG-091', 'DLG-094', 'DLG-099', 'DLG-111',
  'OWN-bidi-200f', 'OWN-bidi-name-202e', 'OWN-blank-3000', 'OWN-control-2028', 'OWN-control-336',
].flatMap((id) => [...given, ...more].filter((c) => c.id === id))

const argumentsOf = ({ args, argsRaw }: DeceivingCase) =>
  typeof args === 'object' && args ? Object.values(args).map(value).join('\n') : (argsRaw ?? '')

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
async function look(c: DeceivingCase, place: Place, at: (box: Locator) => Promise<void>): Promise<void> {
  const { desk, agentToken, page } = place
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
  const input = argumentsOf(c).replace(/[\n\t]/g, '')
  const hidden = [...new Set(c.toolName + c.serverId + (c.description ?? '') + input)].filter(isHidden)
  const posing = [...(c.toolName + c.serverId)].some(isHidden)
  const counted = [...input].filter(isHidden).length
  const wanted = [
    ...(byClass[c.cls] ?? []),
    ...(byRow[c.id] ?? (counted === 1 ? ['1 hidden character, marked below'] : [])),
    ...hidden.map((character) => `⟦${codePoint(character)}⟧`),
    ...wordsOf(`${c.toolName} ${c.serverId} ${c.description ?? ''} ${argumentsOf(c)}`),
    ...(posing ? ['A name here has 1 hidden character. It may pose as another tool or server.'] : []),
  ]
  for (const [how, text] of Object.entries(await readings(box))) {
    expect(wanted.filter((words) => !text.includes(words)), `${c.id}: missing in what is ${how}`).toEqual([])
    expect(hidden.filter((character) => text.includes(character)).map(codePoint), `${c.id}: bare in what is ${how}`).toEqual([])
  }
  const made = box.locator('img, iframe, form, h1, meta, base, script, embed, object, a:not([href^="#"])')
  expect(await made.count(), `${c.id}: elements that an input made`).toBe(0)
}

/** Real letters in the order in which programs read them, on one line. */
async function standsInOrder(c: DeceivingCase, box: Locator): Promise<void> {
  const point = codePoint([...argumentsOf(c)].find(isHidden) ?? '')
  const places = await placesOf(box.getByLabel('Input of the call'), ['report', `⟦${point}⟧`, 'txt.exe'])
  expect(places, c.id).toHaveLength(3)
  const tops = places.map(({ top }) => top)
  expect(Math.max(...tops) - Math.min(...tops), c.id).toBeLessThan(8)
  expect(places.map(({ left }) => left), c.id).toEqual(places.map(({ left }) => left).toSorted((a, b) => a - b))
}

test('inputs made to deceive read well on the screen and by assistive technology, in their order, in letters told apart', async () => {
  const place = await open()
  for (const c of looking) {
    await look(c, place, async (box) => {
      await readsWell(c, box)
      if (c.cls === 'bidi') await standsInOrder(c, box)
    })
  }
  await look({ id: 'letters', cls: 'homoglyph', toolName: '0O1lI', serverId: 'fs', args: { path: '0O1lI' } }, place, async (box) => {
    for (const words of [box.getByRole('heading', { level: 2 }).getByText('0O1lI'), box.getByLabel('Input of the call')]) {
      expect(await words.first().evaluate(differentLetters)).toBe(true)
    }
  })
}, 240_000)

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

test('a call is approved neither in a window one pixel wide (DLG-126) nor by Escape or closing the page (DLG-129)', async () => {
  const { desk, agentToken, page } = await open()
  await page.setViewportSize({ width: 1, height: 600 })
  const { id } = await askBytes(desk.url, agentToken, { toolName: 'run', serverId: 'shell', input: '{"command":"rm -rf ~"}' })
  const box = page.getByRole('alertdialog')
  await box.waitFor({ state: 'attached' })
  await pause(1_800)
  await page.keyboard.press('Control+Enter')
  await pause(4_000)
  expect(await desk.call(id)).toMatchObject({ status: 'pending' })

  await page.setViewportSize({ width: 1000, height: 720 })
  const approve = box.getByRole('button', { name: 'Approve', exact: true })
  await until('Approve to be ready', async () => (await approve.getAttribute('aria-disabled')) === 'false')
  await page.keyboard.press('Escape')
  await box.waitFor({ state: 'detached' })
  await page.close()
  await pause(500)
  expect(await desk.call(id)).toMatchObject({ status: 'pending' })
})
