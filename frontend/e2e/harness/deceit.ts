/** Calls whose input is exactly a text, and what a person and a screen reader get of them. */
import type { Locator } from 'playwright-core'
import { rawOf, type DeceivingCase } from '../../src/test/deceiving-cases'

let asked = 0

/** Asks for a call by its bytes, which no serializer of ours has touched. */
export async function askBytes(url: string, token: string, { toolName, serverId, input, description = '', cwd }: { toolName: string; serverId: string; input: string; description?: string; cwd?: string }): Promise<{ status: number; id: string; body: string }> {
  const more = cwd === undefined ? '' : `,"cwd":${JSON.stringify(cwd)}`
  const body = `{"runId":"deceit ${String(++asked)}","toolCallId":"1","serverId":${JSON.stringify(serverId)},"toolName":${JSON.stringify(toolName)},"description":${JSON.stringify(description)}${more},"input":${input}}`
  const answer = await fetch(`${url}/v1/calls`, { method: 'POST', headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }, body })
  const text = await answer.text()
  return { status: answer.status, id: answer.status === 201 ? (JSON.parse(text) as { call: { id: string } }).call.id : '', body: text }
}

export function askCase(url: string, token: string, c: DeceivingCase): Promise<{ status: number; id: string; body: string }> {
  return askBytes(url, token, { toolName: c.toolName, serverId: c.serverId, input: rawOf(c), ...(c.description === undefined ? {} : { description: c.description }) })
}

/** What is drawn of the dialog, and what the browser tells assistive technology of it. */
export async function readings(box: Locator): Promise<{ drawn: string; told: string }> {
  return { drawn: await box.innerText(), told: await told(box) }
}

/** A node of the browser's own accessibility tree. */
interface Node {
  nodeId: string
  childIds?: string[]
  role?: { value: string }
  name?: { value: string }
}

/** Roles that do not part the words in them from those beside. */
const inline = /^(?:generic|none|code|strong|emphasis|mark|time|insertion|deletion)$/

async function told(box: Locator): Promise<string> {
  const session = await box.page().context().newCDPSession(box.page())
  const { nodes } = (await session.send('Accessibility.getFullAXTree')) as { nodes: Node[] }
  await session.detach()
  const byId = new Map(nodes.map((node) => [node.nodeId, node]))
  const textOf = (node: Node | undefined): string => {
    if (!node || node.role?.value === 'InlineTextBox') return ''
    const inside = (node.childIds ?? []).map((id) => textOf(byId.get(id))).join('')
    // A name that comes from the content is told once.
    return inside === '' ? (node.name?.value ?? '') : inside + (inline.test(node.role?.value ?? '') ? '' : '\n')
  }
  return nodes.filter((node) => node.role?.value === 'alertdialog').map(textOf).join('\n')
}

/** The places of words on the screen, in the order in which they are read. */
export function placesOf(box: Locator, words: readonly string[]): Promise<{ left: number; top: number }[]> {
  return box.evaluate((root, wanted) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    const places: { left: number; top: number }[] = []
    for (let node = walker.nextNode(); node && places.length < wanted.length; node = walker.nextNode()) {
      const at = node.textContent?.indexOf(wanted[places.length] ?? '') ?? -1
      if (at < 0) continue
      const range = document.createRange()
      range.setStart(node, at)
      range.setEnd(node, at + (wanted[places.length]?.length ?? 0))
      const { left, top } = range.getBoundingClientRect()
      places.push({ left, top })
    }
    return places
  }, words)
}
