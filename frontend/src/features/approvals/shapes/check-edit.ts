import { NotJson, scanJson } from '../../../ui/json-view/scan-json'

/** What keeps an edited input from being sent, and where in the text. */
export interface EditProblem {
  kind: 'notJson' | 'notObject' | 'duplicate' | 'surrogate' | 'deep'
  line: number
  column: number
  /** Of a duplicate. */
  key: string
}

/** The desk takes no deeper input. */
const deepest = 128

class Refused extends Error {
  readonly kind: EditProblem['kind']
  readonly at: number
  readonly key: string

  constructor(kind: EditProblem['kind'], at: number, key = '') {
    super(kind)
    this.kind = kind
    this.at = at
    this.key = key
  }
}

/** The first thing that the desk would refuse in an edited input; null when there is none. An input that was sent as a list may stay one. */
export function checkEdit(text: string, sent: string): EditProblem | null {
  try {
    const outer = /^\s*(\S?)/.exec(text)?.[1] ?? ''
    walk(text)
    if (outer !== '{' && !(outer === '[' && /^\s*\[/.test(sent))) throw new Refused('notObject', text.search(/\S|$/))
    return null
  } catch (error) {
    if (error instanceof Refused) return { kind: error.kind, key: error.key, ...placeOf(text, error.at) }
    if (error instanceof NotJson) return { kind: 'notJson', key: '', ...placeOf(text, error.at) }
    throw error
  }
}

function walk(text: string): void {
  const open: Set<string>[] = []
  scanJson(text, (kind, start, end, depth) => {
    const char = text[start] ?? ''
    if (kind === 'key' || kind === 'string') {
      const value = JSON.parse(text.slice(start, end)) as string
      if (/\p{Cs}/u.test(value)) throw new Refused('surrogate', start)
      if (kind === 'key') addKey(open[depth - 1], value, start)
    } else if (kind === 'punctuation' && (char === '{' || char === '[')) {
      if (depth >= deepest) throw new Refused('deep', start)
      open[depth] = new Set()
    }
  })
}

function addKey(keys: Set<string> | undefined, key: string, at: number): void {
  if (keys?.has(key)) throw new Refused('duplicate', at, key)
  keys?.add(key)
}

function placeOf(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at)
  return { line: before.split('\n').length, column: at - before.lastIndexOf('\n') }
}
