/** Inputs that were made to deceive whoever reads them. */
import cases from './data/dialogs.json'

export interface DeceivingCase {
  id: string
  cls: string
  toolName: string
  serverId: string
  args?: unknown
  argsRaw?: string
  description?: string
  /** For cases of timing: what is done with keys and clicks. */
  input?: string
}

/** Values too long to write down are {"$repeat":[text,n]} and {"$concat":[…]}. */
export function value(v: unknown): unknown {
  if (typeof v !== 'object' || v === null) return v
  if ('$repeat' in v && Array.isArray(v.$repeat)) return String(v.$repeat[0]).repeat(Number(v.$repeat[1]))
  if ('$concat' in v && Array.isArray(v.$concat)) return v.$concat.map(value).join('')
  return Object.fromEntries(Object.entries(v).map(([key, inner]) => [key, value(inner)]))
}

export function rawOf(c: DeceivingCase): string {
  return c.argsRaw ?? JSON.stringify(value(c.args))
}

/** The same with every character beyond ASCII as an escape, as careless serializers send it. */
export function escapedOf(raw: string): string {
  return raw.replace(/[^\x20-\x7e]/g, (unit) => '\\u' + unit.charCodeAt(0).toString(16).padStart(4, '0'))
}

/** The collection that was given to the project. */
export const given = cases as DeceivingCase[]

const path = (text: string): Pick<DeceivingCase, 'toolName' | 'serverId' | 'args'> => ({ toolName: 'write_file', serverId: 'fs', args: { path: text } })
const tool = (toolName: string, serverId = 'fs'): Pick<DeceivingCase, 'toolName' | 'serverId' | 'args'> => ({ toolName, serverId, args: { path: 'a' } })
const command = (text: string): Pick<DeceivingCase, 'toolName' | 'serverId' | 'args'> => ({ toolName: 'run', serverId: 'shell', args: { command: text } })
const each = (cls: string, characters: string, make: (character: string) => Pick<DeceivingCase, 'toolName' | 'serverId' | 'args'>): DeceivingCase[] =>
  [...characters].map((c) => ({ id: `OWN-${cls}-${(c.codePointAt(0) ?? 0).toString(16)}`, cls, ...make(c) }))

/** More of the same kinds. */
export const more: DeceivingCase[] = [
  ...each('bidi', '\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2069', (c) => path(`report${c}txt.exe`)),
  ...each('bidi-name', '\u202e\u2067', (c) => tool('read_file', `file${c}system`)),
  ...each('invisible', '\u00ad\u034f\u115f\u1160\u17b4\u200b\u200d\u2062\u2800\u3164\uffa0\ufffc\u{1d159}\u{13441}\u{e0100}', (c) => tool(`delete${c}_file`)),
  ...each('blank', '\u00a0\u1680\u2002\u2003\u2009\u202f\u205f\u3000', (c) => command(`rm${c}-rf ~`)),
  ...each('control', '\u0008\u007f\u009d\u000b\u000c\u2028\u2029\ufff9\u0336', (c) => command(`rm -rf ~${c}ls`)),
]
