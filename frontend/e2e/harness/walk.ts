/** A page by the keyboard alone: where Tab leads, what is seen of the focus there, and what it never comes to. */
import type { Locator, Page } from 'playwright-core'
import { until } from './wait'

/** A stop of the focus. */
export interface Stop {
  /** The same number for the same element. */
  id: number
  role: string
  name: string
  /** What is wrong with it for a person who sees the page. */
  faults: string[]
}

/** Loads what the page must tell of its focus. Again after a reload. */
export async function follow(page: Page): Promise<void> {
  await page.evaluate(() => {
    const ids = new WeakMap<Element, number>()
    let last = 0
    const idOf = (element: Element) => {
      const id = ids.get(element) ?? ++last
      ids.set(element, id)
      return id
    }
    const words = (text: string | null | undefined) => (text ?? '').replace(/\s+/g, ' ').trim()
    const nameOf = (element: Element): string => {
      const by = element.getAttribute('aria-labelledby')?.split(' ').map((id) => document.getElementById(id)?.textContent ?? '').join(' ')
      const labels = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement || element instanceof HTMLButtonElement ? [...(element.labels ?? [])] : []
      const label = labels.map(({ textContent }) => textContent).join(' ')
      return words(element.getAttribute('aria-label')) || words(by) || words(label) || words(element.textContent) || words(element.getAttribute('title'))
    }
    const roleOf = (element: Element) => element.getAttribute('role') ?? (element instanceof HTMLInputElement ? element.type : element.localName)
    const visible = (element: Element) => element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0

    /** The part of the page that takes input: the modal dialog on top, if any. */
    const ground = (): Element => [...document.querySelectorAll('dialog:modal')].at(-1) ?? document.body

    /** Of a group of radio buttons Tab comes to one. */
    const isSpoken = (element: Element) => {
      if (!(element instanceof HTMLInputElement) || element.type !== 'radio' || element.name === '') return true
      const group = [...document.querySelectorAll<HTMLInputElement>('input[type=radio]')].filter(({ name, form }) => name === element.name && form === element.form)
      return element.checked || (!group.some(({ checked }) => checked) && group[0] === element)
    }
    const controls = () =>
      [...ground().querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary, [tabindex]')].filter(
        (element) => element.tabIndex >= 0 && !element.matches(':disabled') && !element.closest('[inert]') && visible(element) && isSpoken(element),
      )

    const light = (color: string) => {
      const [r = 0, g = 0, b = 0, a = 1] = (/[\d.]+(?:[ ,/]+[\d.]+)*/.exec(color)?.[0] ?? '').split(/[ ,/]+/).map(Number)
      const part = (value: number) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4)
      return { clear: a < 0.5, value: 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b) }
    }
    const behind = (element: Element | null): number => {
      for (let at = element; at; at = at.parentElement) {
        const { clear, value } = light(getComputedStyle(at).backgroundColor)
        if (!clear) return value
      }
      return 1
    }
    /** A line around an element that can be told from what it stands on. */
    const outlined = (element: Element | null | undefined) => {
      if (!element) return false
      const { outlineStyle, outlineWidth, outlineColor, outlineOffset } = getComputedStyle(element)
      if (outlineStyle === 'none' || parseFloat(outlineWidth) < 1) return false
      const [line, under] = [light(outlineColor), behind(parseFloat(outlineOffset) < 0 ? element : element.parentElement)]
      const [high, low] = [Math.max(line.value, under), Math.min(line.value, under)]
      return !line.clear && (high + 0.05) / (low + 0.05) >= 3
    }

    /** Whether a person sees some of it: nothing covers it wholly, and it is not outside. */
    const inSight = (element: Element) => {
      const { left, top, right, bottom } = element.getBoundingClientRect()
      const [x0, y0, x1, y1] = [Math.max(left, 0), Math.max(top, 0), Math.min(right, innerWidth), Math.min(bottom, innerHeight)]
      if (x1 - x0 < 1 || y1 - y0 < 1) return false
      const label = element instanceof HTMLInputElement ? element.labels?.[0] : undefined
      return [0.5, 0.1, 0.9].some((part) => {
        const hit = document.elementFromPoint(x0 + (x1 - x0) * part, y0 + (y1 - y0) * 0.5)
        return hit !== null && (element.contains(hit) || hit.contains(element) || (label?.contains(hit) ?? false))
      })
    }
    const opaque = (element: Element) => {
      for (let at: Element | null = element; at; at = at.parentElement) if (Number(getComputedStyle(at).opacity) < 0.4) return false
      return true
    }
    /** What is drawn for an element: of a choice that the page draws by itself its label. */
    const drawn = (element: Element) => (element instanceof HTMLInputElement && /radio|checkbox/.test(element.type) && element.labels?.[0]) || element
    const stop = () => {
      const element = document.activeElement
      if (!element || element === document.body || element === document.documentElement) return null
      const faults: string[] = []
      if (nameOf(element) === '') faults.push('has no name')
      if (!visible(element) || !inSight(element)) faults.push('is not in sight')
      else if (!opaque(drawn(element))) faults.push('is transparent')
      // A heading or the content takes the focus by the page's own doing, to be read from there.
      if ((element as HTMLElement).tabIndex >= 0 && ![element, element.closest('label'), element.nextElementSibling, element.parentElement].some(outlined)) faults.push('does not show that it has the focus')
      return { id: idOf(element), role: roleOf(element), name: nameOf(element), faults }
    }
    const afterDrawing = () => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => { done() })))
    Object.assign(window, {
      walk: {
        stop: async () => {
          let at = stop()
          // It may be on its way into view.
          for (let n = 0; n < 10 && (at?.faults.length ?? 0) > 0; n++) {
            await afterDrawing()
            at = stop()
          }
          return at
        },
        within: (element: Element) => element.contains(document.activeElement),
        controls: (of: Element | null) => controls().filter((element) => of === null || of.contains(element)).map((element) => ({ id: idOf(element), role: roleOf(element), name: nameOf(element), faults: [] })),
      },
    })
  })
}

type Followed = Window & { walk: { stop: () => Promise<Stop | null>; within: (element: Element) => boolean; controls: (of: Element | null) => Stop[] } }

/** Where the focus is; nothing on the page itself. */
export function stop(page: Page): Promise<Stop | null> {
  return page.evaluate(() => (window as unknown as Followed).walk.stop())
}

/** What Tab must come to, on the whole page or in a part of it. */
async function controls(page: Page, part?: Locator): Promise<Stop[]> {
  if (part) return part.evaluate((element) => (window as unknown as Followed).walk.controls(element))
  return page.evaluate(() => (window as unknown as Followed).walk.controls(null))
}

export async function press(page: Page, key: string): Promise<Stop | null> {
  await page.keyboard.press(key)
  return stop(page)
}

const most = 300

const told = ({ role, name }: Stop) => `${role} “${name.slice(0, 80)}”`

/**
 * Goes around by Tab until it is where it was before, and gives what is wrong: a stop that is not seen,
 * a control that is never come to, be it that the way is trapped before.
 */
export async function goAround(page: Page): Promise<string[]> {
  const [wrong, been] = [new Set<string>(), new Set<number>()]
  let at = await press(page, 'Tab')
  for (let n = 0; at === null || !been.has(at.id); n++) {
    if (n === most) return [...wrong, 'has no end']
    if (at) been.add(at.id)
    for (const fault of at?.faults ?? []) if (at) wrong.add(`${told(at)} ${fault}`)
    at = await press(page, 'Tab')
  }
  for (const control of await controls(page)) if (!been.has(control.id)) wrong.add(`${told(control)} is never come to`)
  return [...wrong]
}

/** Goes by Tab into a part of the page, through it to its end, back to its beginning, and into it again, and gives what is wrong. */
export async function goThrough(page: Page, part: Locator): Promise<string[]> {
  const [wrong, been] = [new Set<string>(), new Set<number>()]
  const isIn = () => part.evaluate((element) => (window as unknown as Followed).walk.within(element))
  const goIn = async () => {
    for (let n = 0; n < most && !(await isIn()); n++) await page.keyboard.press('Tab')
  }
  await goIn()
  for (const key of ['Tab', 'Shift+Tab']) {
    for (let n = 0; (n === 0 && key === 'Shift+Tab') || (await isIn()); n++) {
      if (n === most) return [...wrong, 'has no end']
      const at = await stop(page)
      if (at && (await isIn())) {
        been.add(at.id)
        // Where it begins it was not brought by a key.
        if (n > 0) for (const fault of at.faults) wrong.add(`${told(at)} ${fault}`)
      }
      await page.keyboard.press(key)
    }
  }
  await goIn()
  for (const control of await controls(page, part)) if (!been.has(control.id)) wrong.add(`${told(control)} is never come to`)
  return [...wrong]
}

/** Goes by J through the rows of each list on the page, and from each row by the arrows to what can be done with it; gives what is wrong. */
export async function goDown(page: Page): Promise<string[]> {
  const wrong: string[] = []
  for (const list of await page.getByRole('treegrid').all()) wrong.push(...(await goDownList(page, list)))
  return wrong
}

async function goDownList(page: Page, list: Locator): Promise<string[]> {
  const rows = list.locator('[aria-posinset]') // not the headings, which they pass over
  const wrong = new Set<string>()
  const count = await rows.count()
  if (count === 0) return []
  const isHere = async () => (await stop(page))?.role === 'row' && (await list.evaluate((element) => element.contains(document.activeElement)))
  for (let n = 0; !(await isHere()); n++) {
    if (n === most) throw new Error('Tab does not come to the list')
    await press(page, 'Tab')
  }
  await press(page, 'Home') // the first heading
  let row = await press(page, 'j')
  for (let n = 0; n < count; n++) {
    const been = [row]
    const actions = await rows.nth(n).locator('button, a[href]').count()
    // What is below a row is shown before the arrow leads on.
    for (let m = 0; m <= actions && actions > 0; m++) been.push(await press(page, 'ArrowRight'))
    for (const at of been) for (const fault of at?.faults ?? []) if (at) wrong.add(`${told(at)} ${fault}`)
    const name = row ? told(row) : 'a row'
    if (actions > 0 && been.at(-1)?.id === row?.id) wrong.add(`${name} does not lead to what can be done with it`)
    if (actions > 0 && (await press(page, 'Escape'))?.id !== row?.id) wrong.add(`${name} is not come back to`)
    const next = await press(page, 'j')
    if (n < count - 1 && next?.id === row?.id) wrong.add(`${name} is the last that is come to`)
    row = next
  }
  return [...wrong]
}

/** Presses Tab until the focus is at what has a name. */
export async function tabTo(page: Page, name: string | RegExp, role = /(?:)/): Promise<Stop> {
  const fits = (at: Stop | null) => at !== null && role.test(at.role) && (typeof name === 'string' ? at.name === name : name.test(at.name))
  let at = await stop(page)
  for (let n = 0; !fits(at); n++) {
    if (n === most) throw new Error(`Tab does not come to ${String(name)}`)
    at = await press(page, 'Tab')
  }
  if (!at) throw new Error('nowhere')
  return at
}

/** Waits until the focus is where it was, or at what took the place of that. */
export async function backAt(page: Page, was: Stop): Promise<void> {
  let at: Stop | null = null
  await until(
    'the focus',
    async () => {
      at = await stop(page)
      return at?.id === was.id || (at?.role === was.role && at.name === was.name)
    },
    5_000,
  ).catch(() => {
    throw new Error(`the focus is not back at ${told(was)} but at ${at ? told(at) : 'the page itself'}`)
  })
}
