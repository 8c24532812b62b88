/** All screens by the keyboard alone, without faults that a machine finds, and in each language without a word of another and with room. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { aBrowser, goTo, openDeskPage } from './harness/browser'
import { ApprovalDialog } from './harness/dialog'
import { drawn, faces, faults, faultsInBothThemes, ofColours } from './harness/faults'
import { setUp } from './harness/fixtures'
import { aFullDesk } from './harness/full-desk'
import { ask } from './harness/operator'
import { until } from './harness/wait'
import { backAt, follow, goAround, goDown, goThrough, stop, tabTo } from './harness/walk'

const browser = aBrowser()
const full = aFullDesk()

/** A page that a machine can look at: its script comes from elsewhere, and no colour is to be on its way to another. */
const looked = { bypassCSP: true, reducedMotion: 'reduce' } as const

const [wide, middle, small] = [{ width: 1280, height: 900 }, { width: 900, height: 700 }, { width: 560, height: 420 }]

/** What a key opens: what it is opened from, what shows then, and what closes it. */
interface Opening {
  from: string | RegExp
  shows: (page: Page) => Locator
  /** The name of the button that closes it; left out, Escape does. */
  closed?: string
  /** The role that has the focus then, where it is not what opened it: no way back leads onto an answer, but to where the call is read from. */
  back?: string
}

const region = (name: string | RegExp) => (page: Page) => page.getByRole('region', { name })
const question = (page: Page) => page.getByRole('alertdialog')
const form = (name: string) => (page: Page) => page.getByRole('form', { name })
const list = (page: Page) => page.getByRole('listbox')
/** What opens it closes it. */
const again = 'again'

const select = (name: string): Opening => ({ from: name, shows: list })

const screens: readonly { path: string; name: string; title: string; opens: readonly Opening[] }[] = [
  { path: 'waiting', name: 'Waiting', title: 'Waiting', opens: [] },
  {
    path: 'rules',
    name: 'Rules',
    title: 'Rules',
    opens: [
      { from: 'Add a rule', shows: form('New rule') },
      { from: 'Try a call', shows: region('Try a call') },
      { from: 'What can pass?', shows: region('What can pass?') },
      { from: 'Import', shows: region('Import rules') },
      { from: 'From my history', shows: region(/history/) },
      { from: '1 suggestion', shows: region('Suggestions') },
      select('Effect'),
      { from: 'More about the rule filesystem · write_file', shows: (page) => page.getByRole('button', { name: 'More about the rule filesystem · write_file', expanded: true }), closed: again },
      { from: 'Edit the rule filesystem · write_file', shows: form('Edit the rule') },
      { from: 'Delete the rule filesystem · write_file', shows: question },
    ],
  },
  { path: 'grants', name: 'Grants', title: 'Live grants', opens: [] },
  { path: 'activity', name: 'Activity', title: 'Activity', opens: [] },
  { path: 'insights', name: 'Insights', title: 'Insights', opens: [select('Show')] },
  {
    path: 'work',
    name: 'Work',
    title: 'Work',
    opens: [
      { from: 'New project', shows: form('New project') },
      { from: /^\d members$/, shows: form('Members of p-1') },
      { from: 'New task', shows: form('New task') },
      { from: 'New conversation', shows: form('New conversation') },
    ],
  },
  {
    path: 'servers',
    name: 'Servers',
    title: 'Servers',
    opens: [
      { from: 'Add a server', shows: form('New server') },
      { from: 'Edit filesystem', shows: form('Edit filesystem') },
      { from: 'Remove filesystem', shows: question },
    ],
  },
  {
    path: 'agents',
    name: 'Agents',
    title: 'Agents',
    opens: [
      { from: 'Revoke nightly', shows: question },
      { from: 'New session', shows: form('New session') },
      { from: /^Connect Cursor/, shows: region(/^What connecting Cursor changes/), closed: 'Cancel' },
    ],
  },
  { path: 'settings', name: 'Settings', title: 'Settings', opens: [select('Language')] },
]

/** Goes to a screen by the keys. In a small window the way there is behind a button. */
async function go(page: Page, name: string, title: string): Promise<void> {
  const menu = page.locator('button[popovertarget]')
  if (await menu.isVisible()) {
    await tabTo(page, /^Main: /, /button/)
    await page.keyboard.press('Enter')
  }
  await tabTo(page, new RegExp(`^${name}\\s*\\d*$`), /^a$/)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: title }).waitFor()
  await settled(page)
}

/** Waits until what a screen loads is there: what comes after the focus went by would not be come to. */
function settled(page: Page): Promise<void> {
  return page.evaluate(
    () =>
      new Promise<void>((done) => {
        const quiet = () => setTimeout(() => { observer.disconnect(); done() }, 300)
        let timer = quiet()
        const observer = new MutationObserver(() => {
          clearTimeout(timer)
          timer = quiet()
        })
        observer.observe(document.body, { subtree: true, childList: true, attributes: true })
      }),
  )
}

/** Puts off what comes up by itself, until the bar tells of both: what waits, and the call in doubt. */
async function putOff(page: Page): Promise<void> {
  const [dialog, told] = [page.getByRole('alertdialog'), page.locator('[role=region] p + button')]
  await dialog.waitFor()
  await until('the bar', async () => {
    if ((await dialog.count()) > 0) await page.keyboard.press('Escape')
    return (await dialog.count()) === 0 && (await told.count()) === 2
  })
}

/** What a machine finds, in both sizes and both themes: the colours alone where there is more room. */
async function look(page: Page, where: string, part?: Locator): Promise<string[]> {
  const found: string[] = []
  for (const [viewport, colorScheme, rules] of [[small, 'dark', undefined], [wide, 'light', ofColours]] as const) {
    await page.setViewportSize(viewport)
    await page.emulateMedia({ colorScheme })
    await drawn(page)
    const wrong = await faults(page, rules, part)
    found.push(...wrong.map((fault) => `${where}, ${String(viewport.width)}, ${colorScheme}: ${fault}`))
    if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) found.push(`${where}, ${String(viewport.width)}: scrolls sideways`)
  }
  return found
}

/** Opens something by the keyboard, looks at it, goes around in it, and closes it: the focus is back then. */
async function openAndClose(page: Page, { from, shows, closed, back }: Opening, where: string): Promise<string[]> {
  const place = `${where} › ${String(from)}`
  const found: string[] = []
  try {
    const opener = await tabTo(page, from)
    await page.keyboard.press('Enter')
    const part = shows(page).first()
    await part.waitFor({ timeout: 10_000 })
    found.push(...(await look(page, place, part)))
    const isList = (await part.getAttribute('role')) === 'listbox'
    if (!isList && closed !== again) found.push(...(await goThrough(page, part)).map((wrong) => `${place}: ${wrong}`))
    if (closed !== undefined) await tabTo(page, closed === again ? opener.name : closed)
    await page.keyboard.press(closed === undefined ? 'Escape' : 'Enter')
    await part.waitFor({ state: 'hidden', timeout: 5_000 })
    if (back === undefined) await backAt(page, opener)
    else expect(await stop(page)).toMatchObject({ role: back })
  } catch (error) {
    found.push(`${place}: ${String(error).split('\n')[0] ?? ''}; the focus is at ${JSON.stringify(await stop(page))}`)
  }
  return found
}

/** Screens that one page goes through, one after the other. */
const walks = [['Waiting', 'Grants', 'Activity', 'Insights', 'Settings'], ['Rules'], ['Work', 'Servers', 'Agents']]

test.each(walks.map((names) => [names.join(', '), names] as const))(
  'by the keyboard these are reached, walked through and left, in a large window and in a small one in the dark: %s',
  async (_, names) => {
    const page = await openDeskPage(browser(), full().desk, { viewport: wide, ...looked })
    await follow(page)
    await putOff(page)
    const found: string[] = []
    const some = screens.filter(({ name }) => names.includes(name))
    for (const { name, title, opens } of some) {
      await go(page, name, title)
      found.push(...[...(await goAround(page)), ...(await goDown(page))].map((wrong) => `${name}: ${wrong}`))
      for (const opening of opens) found.push(...(await openAndClose(page, opening, name)))
    }
    await page.setViewportSize(small)
    await page.emulateMedia({ colorScheme: 'dark' })
    for (const { name, title } of some) {
      await go(page, name, title)
      found.push(...(await goAround(page)).map((wrong) => `${name} in a small window: ${wrong}`))
    }
    expect(found).toEqual([])
  },
  240_000,
)

test('a call, a doubt and the menu of a small window are opened, walked through and put off by the keyboard, and all in them', async () => {
  const page = await openDeskPage(browser(), full().desk, { viewport: small, colorScheme: 'dark', ...looked })
  await follow(page)
  await page.getByRole('button', { name: 'Edit the input' }).waitFor()
  const found = (await goAround(page)).map((wrong) => `the dialog in a small window: ${wrong}`)
  await putOff(page)
  await tabTo(page, /^Main: /, /button/)
  await page.keyboard.press('Enter')
  found.push(...(await faults(page)).map((fault) => `the menu: ${fault}`))
  await page.keyboard.press('Escape')
  await backAt(page, await tabTo(page, /^Main: /, /button/))

  await page.setViewportSize(wide)
  await page.emulateMedia({ colorScheme: 'light' })
  const dialog = page.getByRole('alertdialog')
  const row = await tabTo(page, /^write/, /^row$/)
  await page.keyboard.press('Enter')
  await dialog.filter({ hasText: 'write_file' }).waitFor()
  found.push(...(await look(page, 'the dialog')), ...(await goAround(page)).map((wrong) => `the dialog: ${wrong}`))
  const openings: readonly Opening[] = [
    { from: 'All', shows: () => dialog.getByRole('region', { name: 'What waits' }) },
    { from: 'Edit the input', shows: () => dialog.getByRole('textbox', { name: /input/i }) },
    { from: /^The input as it was sent/, shows: () => dialog.getByLabel('Input of the call').filter({ visible: true }), closed: again },
    { from: /^Names, folder and rule/, shows: () => dialog.locator('details[open] > summary', { hasText: 'Names, folder and rule' }), closed: again },
    { from: 'Always…', shows: () => dialog.getByRole('button', { name: 'Save the rule and approve' }), back: 'h2' },
  ]
  for (const opening of openings) found.push(...(await openAndClose(page, opening, 'the dialog')))
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await backAt(page, row)

  await tabTo(page, 'Look')
  await page.keyboard.press('Enter')
  await dialog.filter({ hasText: 'ignite' }).waitFor()
  found.push(...(await look(page, 'the doubt')), ...(await goAround(page)).map((wrong) => `the doubt: ${wrong}`))
  found.push(...(await openAndClose(page, { from: 'Run again…', shows: () => dialog.getByRole('group', { name: 'Run it a second time?' }) }, 'the doubt')))
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  if ((await stop(page)) === null) found.push('the doubt: the focus is lost when it is closed')
  expect(found).toEqual([])
}, 240_000)

const catalogues: Readonly<Record<string, string>> = { 'ja-JP': 'ja', 'zh-TW': 'zh-tw', 'ru-RU': 'ru' }
/** In which window a machine looks at a language: in each theme at both. */
const looks = faces.map((face, n) => ({ ...face, view: n === 0 || n === 3 ? wide : small }))

test.each(looks)(
  'in $locale, $colorScheme: each control has a name, nothing is said in English or wider than its place, and a machine finds no fault',
  async ({ locale, colorScheme, view }) => {
    const other = catalogues[locale]
    const english = other === undefined ? [] : await sentences('en', other)
    const page = await openDeskPage(browser(), full().desk, { viewport: wide, locale, colorScheme, ...looked })
    const found: string[] = []
    const check = async (where: string) => {
      found.push(...(await nameless(page)).map((role) => `${where}: a ${role} has no name`))
      for (const text of await said(page)) if (english.some((sentence) => sentence.test(text))) found.push(`${where}: ${text}`)
      for (const size of [small, middle, wide]) {
        await page.setViewportSize(size)
        await drawn(page)
        found.push(...(await tooWide(page)).map((wrong) => `${where} at ${String(size.width)}: ${wrong}`))
        if (size === view) found.push(...(await faults(page)).map((fault) => `${where} at ${String(size.width)}: ${fault}`))
      }
    }
    const dialog = page.getByRole('alertdialog')
    await dialog.locator('[data-ready="true"]').waitFor()
    await dialog.locator('li[data-old]').first().waitFor()
    await dialog.locator('footer button').last().waitFor()
    found.push(...(await narrow(dialog)))
    await check('the dialog')
    await putOff(page)
    for (const { path } of screens) {
      await goTo(page, path)
      await page.locator(`main :is(${path === 'agents' ? 'section li' : '[role=row], figure, li, fieldset, input'})`).first().waitFor()
      await check(path)
    }
    expect(await page.evaluate(() => document.documentElement.lang.slice(0, 2))).toBe(locale.slice(0, 2))
    expect([...new Set(found)]).toEqual([])
  },
)

/** What keeps the act of a call from view: a foot of more than a third, a changed line out of sight, or something that is left to be read. */
async function narrow(dialog: Locator): Promise<string[]> {
  const parts = [dialog, dialog.locator('dl:has(textarea)'), dialog.locator('header')]
  const [sheet, answers, head] = await Promise.all(parts.map((part) => part.boundingBox()))
  if (!sheet || !answers || !head) return ['the dialog has no answers or no head']
  const found = (sheet.y + sheet.height - answers.y) / sheet.height < 1 / 3 ? [] : ['the foot of the dialog is more than a third']
  for (const line of await dialog.locator('li[data-old], li[data-new]').all()) {
    const at = await line.boundingBox()
    if (!at || at.y < head.y + head.height || at.y + at.height > answers.y) found.push('a changed line of the dialog is not in view')
  }
  if ((await dialog.getByRole('checkbox').count()) > 0) found.push('something of the dialog is left to be read')
  return found
}

test('on a new desk, where nothing happened yet, a machine finds no fault in either theme, nor in a call that hides something', async () => {
  const { desk, agentToken } = await setUp()
  const page = await openDeskPage(browser(), desk, { ...looked, colorScheme: 'dark' })
  const found: string[] = []
  const check = async (where: string) => {
    found.push(...(await faultsInBothThemes(page)).map((fault) => `${where}: ${fault}`))
  }
  for (const { path } of screens) {
    await goTo(page, path)
    await settled(page)
    await check(path)
  }
  await ask(desk.url, agentToken, 'write_file', { input: { path: 'a\u202eb', n: [1, true, null] } })
  const dialog = await new ApprovalDialog(page, 'write_file').shown()
  await dialog.armed()
  await check('the dialog')
  expect(found).toEqual([])
})

/** What is wider than its place, and texts of the navigation that are cut. */
function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const seen = (element: Element) => element.checkVisibility() && element.getBoundingClientRect().width > 3
    const over = (element: Element) => element.scrollWidth > element.clientWidth + 1
    const all = [...document.querySelectorAll('body *')].filter(seen)
    const wide = all.filter((element) => {
      const { overflowX, display } = getComputedStyle(element)
      const outside = element.getBoundingClientRect().right > document.documentElement.clientWidth + 1
      return outside && overflowX === 'visible' && display !== 'inline' && !inScroller(element)
    })
    const isCut = (element: Element) => getComputedStyle(element).textOverflow === 'ellipsis' && over(element)
    const cut = all.filter((element) => element.closest('footer label') && isCut(element))
    function inScroller(element: Element): boolean {
      for (let at = element.parentElement; at; at = at.parentElement) if (getComputedStyle(at).overflowX !== 'visible') return true
      return false
    }
    const sideways = document.documentElement.scrollWidth > document.documentElement.clientWidth ? ['the page'] : []
    return [...sideways, ...wide.map(({ outerHTML }) => `wide: ${outerHTML.slice(0, 120)}`), ...cut.map(({ textContent }) => `cut: ${textContent}`)]
  })
}

/** The English messages that another language says otherwise, each as what its texts are like. Those that are little but names of things are left out. */
async function sentences(source: string, other: string): Promise<RegExp[]> {
  const root = join(import.meta.dirname, '../src')
  const folders = [`${root}/i18n`, `${root}/i18n/codes`, ...readdirSync(`${root}/features`).map((name) => `${root}/features/${name}/words`)]
  const pairs = await Promise.all(
    folders.filter((folder) => existsSync(`${folder}/${source}.ts`)).map(async (folder) => {
      const [ours, theirs] = (await Promise.all([import(`${folder}/${source}.ts`), import(`${folder}/${other}.ts`)])) as { words: Record<string, string | Record<string, string>> }[]
      return Object.entries(ours?.words ?? {}).filter(([key, message]) => JSON.stringify(message) !== JSON.stringify(theirs?.words[key]))
    }),
  )
  const texts = pairs.flat().flatMap(([, message]) => (typeof message === 'string' ? [message] : Object.values(message)))
  const wordy = texts.filter((text) => /[a-z]{3}/i.test(text.replace(/\{\w+\}/g, '')))
  return wordy.map((text) => new RegExp(`^${text.split(/\{\w+\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.+')}$`))
}

/** All that is written on the page in the words of the desk: its texts, and the names and descriptions that are attributes. */
function said(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const own = [...document.querySelectorAll<HTMLElement>('body *')].filter((element) => element.closest('[translate=no], code, script, style') === null && element.checkVisibility())
    return own.flatMap((element) => [
      ...[...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.textContent ?? ''),
      ...['aria-label', 'title', 'placeholder', 'alt', 'aria-description'].map((name) => element.getAttribute(name) ?? ''),
    ]).map((text) => text.replace(/\s+/g, ' ').trim()).filter((text) => /[a-z]{3}/i.test(text))
  })
}

/** The roles of the controls that have no name, as the browser tells assistive technology. */
async function nameless(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page)
  const { nodes } = await session.send('Accessibility.getFullAXTree')
  await session.detach()
  const takesFocus = ({ properties }: (typeof nodes)[number]) => properties?.some(({ name, value }) => name === 'focusable' && value.value === true) ?? false
  return nodes.filter((node) => !node.ignored && takesFocus(node) && !['RootWebArea', 'main', 'generic'].includes(String(node.role?.value)) && String(node.name?.value ?? '') === '').map(({ role }) => String(role?.value))
}
