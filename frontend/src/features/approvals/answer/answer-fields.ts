/** The fields of a form that answers a call: choices and texts, as its resumeSchema asks for them. */

export interface FieldChoice {
  value: string
  label: string
  about: string
}

export interface AnswerField {
  name: string
  title: string
  about: string
  /** one: one of the choices; many: any of them; text: words alone. */
  kind: 'one' | 'many' | 'text'
  choices: FieldChoice[]
  /** Words of the person's own do, too. */
  own: boolean
  required: boolean
  preset: string
}

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const texts = (value: unknown): string[] => (Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [])

/** The fields that a schema asks for; null where it asks for anything but choices and texts. */
export function answerFields(schema: unknown): AnswerField[] | null {
  if (!isObject(schema) || schema.type !== 'object' || !isObject(schema.properties)) return null
  const required = texts(schema.required)
  const fields = Object.entries(schema.properties).map(([name, property]) => fieldOf(name, property, required.includes(name)))
  return fields.length > 0 && fields.every((field) => field !== null) ? fields : null
}

function fieldOf(name: string, property: unknown, required: boolean): AnswerField | null {
  if (!isObject(property)) return null
  const base = { name, title: text(property.title), about: text(property.description), required, preset: presetOf(property.default) }
  if (property.type === 'array') {
    const found = isObject(property.items) ? choicesOf(property.items) : null
    return found === null || found.choices.length === 0 ? null : { ...base, kind: 'many', ...found }
  }
  const found = choicesOf(property)
  if (found === null) return null
  return { ...base, kind: found.choices.length === 0 ? 'text' : 'one', ...found }
}

/** The answer that is there before a person gives one; to be asked nothing any more is never that. */
const presetOf = (value: unknown): string => (value === 'bypassPermissions' ? '' : text(value))

/** The choices of a schema of one value, and whether other words do. */
function choicesOf(schema: Json): Pick<AnswerField, 'choices' | 'own'> | null {
  if (schema.type !== undefined && schema.type !== 'string') return null
  if (Array.isArray(schema.enum)) {
    const values = texts(schema.enum)
    const names = texts(schema.enumNames)
    if (values.length !== schema.enum.length) return null
    return { choices: values.map((value, i) => ({ value, label: names[i] ?? value, about: '' })), own: false }
  }
  const several = schema.anyOf ?? schema.oneOf
  if (several === undefined) return schema.type === 'string' ? { choices: [], own: true } : null
  if (!Array.isArray(several)) return null
  const choices: FieldChoice[] = []
  let own = false
  for (const one of several) {
    if (!isObject(one)) return null
    if (typeof one.const === 'string') choices.push({ value: one.const, label: text(one.title) || one.const, about: text(one.description) })
    else if (one.type === 'string' && one.enum === undefined) own = true
    else return null
  }
  return { choices, own }
}

/** What is chosen and written so far, by field. */
export type Answers = Record<string, string[]>

/** The answers in data that a form has written; what was not answered has its preset. */
export function answersIn(fields: readonly AnswerField[], data: string): Answers {
  let kept: unknown = {}
  try {
    kept = JSON.parse(data || '{}')
  } catch {
    // text of a schema that was no form
  }
  const given = isObject(kept) ? kept : {}
  const answer = ({ name, preset }: AnswerField) => {
    const value = Object.hasOwn(given, name) ? given[name] : preset
    return Array.isArray(value) ? texts(value) : [text(value)].filter((one) => one !== '')
  }
  return Object.fromEntries(fields.map((field) => [field.name, answer(field)]))
}

/** The answers as the data of a decision, in the order of the fields. */
export function dataOf(fields: readonly AnswerField[], answers: Answers): string {
  const members = fields
    .map((field) => [field, (answers[field.name] ?? []).filter((one) => one.trim() !== '')] as const)
    .filter(([, all]) => all.length > 0)
    .map(([{ name, kind }, all]) => `${JSON.stringify(name)}:${JSON.stringify(kind === 'many' ? all : all[0])}`)
  return members.length === 0 ? '' : `{${members.join(',')}}`
}

/** Whether an answer that must be there is missing. */
export function lacksAnswer(fields: readonly AnswerField[], data: string): boolean {
  const answers = answersIn(fields, data)
  return fields.some(({ name, required }) => required && (answers[name] ?? []).every((one) => one.trim() === ''))
}
