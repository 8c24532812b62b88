/**
 * The JSON Schemas of the desk's answers as the front end takes them. They are made from openapi.json,
 * and both the types (src/desk/schemas.d.ts) and the table of the reader (virtual:shapes) from them.
 */
import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'

interface Schema {
  $ref?: string
  type?: string | readonly string[]
  enum?: readonly (string | null)[]
  anyOf?: readonly Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  required?: readonly string[]
  format?: string
  description?: string
  /** The value is taken as JSON text, not parsed. */
  'x-json'?: true
}

export type Schemas = Record<string, Schema>

/** The answers that are read; what none of them refers to is left out. */
const answers = [
  'ArmingOutBody',
  'CallBody',
  'Choices',
  'ClientCheck',
  'ClientConnected',
  'ClientDisconnected',
  'ClientList',
  'ClientProofs',
  'ClientTrials',
  'ConversationOutBody',
  'ConversationsOutBody',
  'Coordination',
  'CreateAgentOutBody',
  'DecideOutBody',
  'DiffOutBody',
  'DifferencesOutBody',
  'FindingsOutBody',
  'GrantsOutBody',
  'HealthOutBody',
  'HistoryState',
  'ListAgentsOutBody',
  'ListCallsOutBody',
  'LoginOutBody',
  'Look',
  'LookOutBody',
  'MadeSession',
  'PauseOutBody',
  'Preview',
  'ProjectsOutBody',
  'Reach',
  'ReleaseOutBody',
  'Report',
  'RuleOutBody',
  'RulesBody',
  'ServersOutBody',
  'SessionsOutBody',
  'Settings',
  'SignInOutBody',
  'SuggestionsOutBody',
  'TasksOutBody',
  'TestServerOutBody',
  'ToolOutBody',
  'Verdict',
  'WordingsOutBody',
]

/** What no screen needs. The bytes of a call are among it: what was parsed of them must never be shown. */
const leftOut: Record<string, readonly string[]> = {
  AskedCall: ['declined', 'input', 'last'],
  Call: ['claimId', 'envelope', 'input', 'leaseExpiresAt', 'questions', 'result'],
  ClassPart: ['effects', 'lost', 'unsure'],
  ClientCheck: ['client', 'clientProved', 'commandProved'],
  ClientFile: ['client'],
  Decision: ['fileVersion', 'grantIds', 'places'],
  DeclinedTool: ['at'],
  Edit: ['input'],
  Grant: ['class', 'maxRisk', 'questions', 'serverId'],
  ListAgentsOutBody: ['removed'],
  Matches: ['last'],
  Message: ['conversationId', 'projectId', 'seq'],
  Reach: ['policyVersion'],
  Result: ['allowed', 'bytes', 'clients', 'denied', 'sessions'],
  Rule: ['autoApprove'],
  SuggestedRule: ['autoApprove', 'createdAt', 'examples', 'expiresAt', 'id', 'limit'],
  Suggestion: ['reason', 'tools'],
  ToolLook: ['level', 'risk'],
  Verdict: ['envelopeHash', 'inputHash', 'policyVersion'],
}

const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })
const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] })
const members: Schema = { type: ['object', 'null'], additionalProperties: {} }

/** Properties that are taken in another way than the document has them. */
const otherwise: Record<string, Schema> = {
  'Class.parts': { ...orNull({ type: 'array', items: ref('ClassPart') }), description: 'null: the call has no line' },
  'ClassPart.risk': { ...orNull(ref('Risk')), description: 'null: that of the call' },
  'Decision.remembered': { type: ['string', 'null'], description: 'the declined call whose answer was given again' },
  'Difference.journal': members,
  'Difference.table': members,
  'Example.input': { type: 'string', 'x-json': true, description: 'JSON text' },
  'ListEntry.rule': orNull(ref('SuggestedRule')),
  'Look.summary': orNull(ref('Summary')),
  'ServerShown.url': { type: 'string' },
  'SignIn.client': orNull(ref('SignInClient')),
  'SignIn.url': { type: 'string', format: 'uri', description: 'to open in a browser; empty where it is none of the web' },
}

/** Of these schemas a property is never left out: the reader puts null or nothing in its place. */
const filled = ['ClassPart', 'Decision', 'DecideOutBody', 'HealthOutBody', 'SignIn', 'SignInClient', 'SuggestedRule']

/** Times that are always there. */
const sureTimes = ['at', 'createdAt', 'decidedAt', 'from', 'now', 'to', 'updatedAt']

/** Properties without which a row cannot be used: they must be there, and a text must not be empty. */
const needed = ['id', 'inputHash', 'priority', 'rev', 'shownRev', 'released']

/** Booleans that are true where they are left out. */
const trueByDefault = ['enabled', 'forced', 'popUp', 'sound']

/** Closed sets of words of which another word refuses the answer. */
const closed = ['AskedCall.client', 'Difference.set', 'Effect', 'HistoryState.state', 'ListEntry.client', 'Scope', 'Status']

/** Closed sets of which another word is taken as the first one here, and no word as the second. Every other set is an open one: a text. */
const careful: Record<string, readonly [string, string]> = {
  'ClientCheck.state': ['not_proved', 'not_proved'],
  'ClientEntry.state': ['left', 'left'],
  'ClientFile.state': ['broken', 'broken'],
  'ClientProof.state': ['different', 'different'],
  'ClientReturn.outcome': ['conflict', 'conflict'],
  ConfinementLevel: ['none', 'none'],
  Ending: ['', ''],
  Execution: ['client', 'client'],
  FileState: ['unclear', 'unclear'],
  LineKind: ['added', 'added'],
  PieceKind: ['word', 'word'],
  ReachAnswer: ['undecided', 'undecided'],
  Risk: ['high', 'medium'],
  ServerTransport: ['stdio', 'stdio'],
  SignInState: ['none', 'none'],
  TextKind: ['hidden', 'hidden'],
  ToolChange: ['both', ''],
}

/** The schemas that the answers need, as the front end takes them. */
export function schemasOf(document: { components: { schemas: Schemas } }): Schemas {
  const all = document.components.schemas
  const known: Schemas = {}
  const take = (name: string) => {
    const schema = all[name]
    if (!schema) throw new Error(`openapi.json has no schema ${name}`)
    if (known[name]) return
    known[name] = name === 'Params' ? { type: 'object', additionalProperties: { type: ['string', 'number'] } } : taken(name, schema)
    for (const other of refsIn(known[name])) take(other)
  }
  for (const name of answers) take(name)
  for (const place of [...Object.keys(otherwise), ...Object.entries(leftOut).flatMap(([name, list]) => list.map((p) => `${name}.${p}`)), ...closed, ...Object.keys(careful)]) {
    const [name = '', property] = place.split('.')
    if (!known[name] || (property !== undefined && !all[name]?.properties?.[property])) throw new Error(`openapi.json has no ${place} any more`)
  }
  return Object.fromEntries(Object.entries(known).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function taken(name: string, schema: Schema): Schema {
  if (schema.enum) return ofWords(name, schema)
  const { properties = {}, required = [] } = schema
  const kept = Object.entries(properties).filter(([property]) => !leftOut[name]?.includes(property))
  return {
    ...schema,
    properties: Object.fromEntries(kept.map(([property, of]) => [property, otherwise[`${name}.${property}`] ?? plain(`${name}.${property}`, property, of)])),
    required: kept.map(([property]) => property).filter((property) => filled.includes(name) || required.includes(property)),
  }
}

/** A list is never null, nor is a time that is always there. */
function plain(place: string, property: string, schema: Schema): Schema {
  if (schema.enum && !schema.$ref) return ofWords(place, schema)
  if (schema.type?.includes('array') && schema.items) return { ...schema, type: 'array', items: plain(place, property, schema.items) }
  if (schema.format === 'date-time' && sureTimes.includes(property)) return { type: 'string', format: 'date-time' }
  return schema
}

function ofWords(place: string, { enum: words = [], ...schema }: Schema): Schema {
  return closed.includes(place) || careful[place] ? { ...schema, enum: words } : schema
}

function refsIn(schema: Schema): string[] {
  const inside = [...Object.values(schema.properties ?? {}), ...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])]
  if (typeof schema.additionalProperties === 'object') inside.push(schema.additionalProperties)
  return [...(schema.$ref ? [nameOf(schema.$ref)] : []), ...inside.flatMap(refsIn)]
}

const nameOf = (reference: string) => reference.slice(reference.lastIndexOf('/') + 1)

/** What the reader knows of an object (its properties with a code each) or of a set of words. */
type Shape = Record<string, string> | string

/**
 * The table of the reader. A code is a letter (s text, u address of the web or nothing, i integer, n number, b boolean, t boolean that is true by default, v text or
 * number, j JSON text, x anything), the name of another shape, or words: `=a|b` are closed, `~b|a|c` takes another word as its first and none as its second.
 * Behind it stand ! (must be there), [] (a list of these), {} (an object of these) and ? (or null). A ? behind a name: may be left out.
 */
function shapesOf(schemas: Schemas): Record<string, Shape> {
  const shapes: Record<string, Shape> = {}
  for (const [name, schema] of Object.entries(schemas)) {
    if (schema.properties && Object.keys(schema.properties).length > 0) shapes[name] = shapeOf(name, schema, schemas)
    else if (schema.enum) shapes[name] = codeOf(name, schema, schemas)
  }
  return shapes
}

function shapeOf(name: string, { properties = {}, required = [] }: Schema, schemas: Schemas): Shape {
  return Object.fromEntries(
    Object.entries(properties).map(([property, schema]) => {
      const code = codeOf(`${name}.${property}`, schema, schemas)
      const sure = code === 'b' && trueByDefault.includes(property) ? 't' : code
      return [required.includes(property) ? property : `${property}?`, needed.includes(property) ? `${sure}!` : sure]
    }),
  )
}

function codeOf(place: string, schema: Schema, schemas: Schemas): string {
  const { $ref, type, enum: words, anyOf, items, additionalProperties } = schema
  if (anyOf) return `${anyOf.filter((one) => one.type !== 'null').map((one) => codeOf(place, one, schemas)).join()}?`
  if ($ref) {
    const name = nameOf($ref)
    const meant = schemas[name] ?? {}
    return meant.enum ?? meant.properties ? name : codeOf(name, meant, schemas)
  }
  if (schema['x-json']) return 'j'
  if (schema.format === 'uri') return 'u'
  const nullable = Array.isArray(type) && type.includes('null') ? '?' : ''
  if (words) {
    const [unknown, none] = careful[place] ?? []
    return (unknown === undefined ? `=${words.join('|')}` : `~${[unknown, none, ...words.filter((w) => w !== unknown && w !== none)].join('|')}`) + nullable
  }
  if (items) return `${codeOf(place, items, schemas)}[]${nullable}`
  if (typeof additionalProperties === 'object') return `${codeOf(place, additionalProperties, schemas)}{}${nullable}`
  const kinds = [type ?? 'x'].flat().filter((one) => one !== 'null')
  return (kinds.length > 1 ? 'v' : (kinds[0]?.[0] ?? '')) + nullable
}

/** Gives the page the table of the reader as the module virtual:shapes. */
export function shapes(): Plugin {
  const id = '\0virtual:shapes'
  const file = `${import.meta.dirname}/openapi.json`
  return {
    name: 'shapes',
    resolveId: (asked) => (asked === 'virtual:shapes' ? id : null),
    load(asked) {
      if (asked !== id) return null
      this.addWatchFile(file)
      return `export const shapes = ${JSON.stringify(shapesOf(schemasOf(JSON.parse(readFileSync(file, 'utf8')))))}`
    },
  }
}
