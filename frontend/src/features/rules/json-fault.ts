import { NotJson, scanJson } from '../../ui/json-view/scan-json'

/** Where a text stops being JSON, from 1; null where it is JSON. */
export function jsonFault(text: string): { line: number; column: number } | null {
  try {
    scanJson(text, () => undefined)
    return null
  } catch (fault) {
    if (!(fault instanceof NotJson)) throw fault
    const lines = text.slice(0, fault.at).split('\n')
    return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
  }
}
