/**
 * Reads answers of the desk by the schemas of the API, so that a missing or odd field fails here and
 * not in a screen. What no schema names is dropped. The codes of the table are told in schemas.ts.
 */
import { shapes } from 'virtual:shapes'
import { DeskError } from './desk-error'
import type { components } from './schemas'

type Schemas = components['schemas']

export type Json = Record<string, unknown>

/** Gives a value as a schema wants it; place names it in the error. */
type Reader = (value: unknown, place: string) => unknown

/** An answer as its schema says, or an error: a desk that is not understood shows nothing. */
export function read<Name extends keyof Schemas>(name: Name, value: unknown): Schemas[Name] {
  return readerOf(name)(value, name) as Schemas[Name]
}

export function object(value: unknown, place = 'answer'): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed('an object', value, place)
  return value as Json
}

export function text(value: unknown, place = 'answer'): string {
  if (typeof (value ?? '') !== 'string') throw malformed('a text', value, place)
  return (value ?? '') as string
}

export function whole(value: unknown, place = 'answer'): number {
  return readerOf('i!')(value, place) as number
}

export function params(value: unknown): Schemas['Params'] {
  return readerOf('v{}')(value, 'params') as Schemas['Params']
}

function malformed(wanted: string, got: unknown, place: string): DeskError {
  return new DeskError({ code: 'malformed_answer', message: `the desk answered ${got === null ? 'null' : typeof got} instead of ${wanted} (${place})` })
}

const readers = new Map<string, Reader>()

function readerOf(code: string): Reader {
  const known = readers.get(code)
  if (known) return known
  const made = makeReader(code)
  readers.set(code, made)
  return made
}

function makeReader(code: string): Reader {
  const of = (end: string) => readerOf(code.slice(0, -end.length))
  if (code.endsWith('?')) return orNull(of('?'))
  if (code.endsWith('!')) return present(of('!'))
  if (code.endsWith('[]')) return list(of('[]'))
  if (code.endsWith('{}')) return map(of('{}'))
  if (code.startsWith('=')) return closed(code.slice(1).split('|'))
  if (code.startsWith('~')) return careful(code.slice(1).split('|'))
  const shape = shapes[code]
  if (typeof shape === 'string') return readerOf(shape)
  return shape ? record(shape) : (plain[code] ?? plain.x)
}

const plain: Record<string, Reader> & { x: Reader } = {
  s: text,
  u: (value, place) => (/^https?:\/\//.test(text(value, place)) ? value : ''),
  i: number(Number.isSafeInteger),
  n: number(Number.isFinite),
  b: flag(false),
  t: flag(true),
  v: (value) => (typeof value === 'number' ? value : String(value)),
  j: (value) => JSON.stringify(value),
  x: (value) => value ?? null,
}

function number(is: (value: unknown) => boolean): Reader {
  return (value, place) => {
    if (!is(value ?? 0)) throw malformed('a number', value, place)
    return value ?? 0
  }
}

function flag(none: boolean): Reader {
  return (value, place) => {
    if (typeof (value ?? none) !== 'boolean') throw malformed('true or false', value, place)
    return value ?? none
  }
}

function orNull(of: Reader): Reader {
  return (value, place) => (value === null || value === undefined ? null : of(value, place))
}

function present(of: Reader): Reader {
  return (value, place) => {
    if (value === null || value === undefined || value === '') throw malformed('what it must have', value, place)
    return of(value, place)
  }
}

function list(of: Reader): Reader {
  return (value, place) => {
    if (!Array.isArray(value ?? [])) throw malformed('a list', value, place)
    return ((value ?? []) as unknown[]).map((item) => of(item, place))
  }
}

function map(of: Reader): Reader {
  return (value, place) => Object.fromEntries(Object.entries(object(value ?? {}, place)).map(([name, item]) => [name, of(item, `${place}.${name}`)]))
}

function closed(words: readonly string[]): Reader {
  return (value, place) => {
    if (typeof value !== 'string' || !words.includes(value)) throw malformed(words.join(' or '), value, place)
    return value
  }
}

/** Another word counts as the first, the most careful one; none as the second. */
function careful([unknown, none, ...more]: readonly string[]): Reader {
  return (value) => {
    if (value === undefined || value === null || value === '') return none
    return [none, ...more].find((word) => word === value) ?? unknown
  }
}

/** Its fields are read out of the shape when the first object of it comes: an empty list of calls would have all made that a call may have. */
function record(shape: Readonly<Record<string, string>>): Reader {
  let made: ReturnType<typeof fieldsOf> | undefined
  return (value, place) => {
    const { fields, blank } = (made ??= fieldsOf(shape))
    const got = object(value === undefined ? {} : value, place)
    const taken: Json = { ...blank }
    for (const { name, mayLack, of } of fields) if (!mayLack || got[name] !== undefined) taken[name] = of(got[name], `${place}.${name}`)
    return taken
  }
}

function fieldsOf(shape: Readonly<Record<string, string>>) {
  const fields = Object.entries(shape).map(([name, code]) => ({ name: name.replace('?', ''), mayLack: name.endsWith('?'), of: readerOf(code) }))
  // An object that more than a dozen fields are added to by computed names is a hash table in V8, of eight times the size.
  const blank: Json = Object.fromEntries(fields.filter(({ mayLack }) => !mayLack).map(({ name }) => [name, null]))
  return { fields, blank }
}
