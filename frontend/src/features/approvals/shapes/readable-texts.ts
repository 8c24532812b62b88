import type { Look } from '../../../desk/types'
import { NotJson, scanJson } from '../../../ui/json-view/scan-json'
import type { FoundString } from '../../../ui/json-view/string-finder'

/** A string of the input as what it stands for. */
export interface ReadableText {
  /** Where it stands in the input; two ways to a text may be spelled alike. */
  start: number
  path: string
  text: string
  /** It is JSON itself. */
  json: boolean
}

/** JSON in longer texts is shown as text. */
const mostJson = 200_000

/** Texts with more than one line or with quotes and backslashes in them, unless a known shape shows them. */
export function readableTexts(raw: string, strings: readonly FoundString[], look: Look | null): ReadableText[] {
  if (look?.file && look.file.lines.length > 0) return []
  return strings.flatMap(({ path, start, end }) => {
    const written = raw.slice(start, end)
    if (!/\\["\\n]/.test(written)) return []
    const text = JSON.parse(written) as string
    return text === look?.command?.text ? [] : [{ start, path, text, json: isJson(text) }]
  })
}

function isJson(text: string): boolean {
  if (text.length > mostJson || !/^\s*[{[]/.test(text)) return false
  try {
    scanJson(text, () => undefined)
    return true
  } catch (error) {
    if (error instanceof NotJson) return false
    throw error
  }
}
