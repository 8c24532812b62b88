/** What a fake desk says of conditions: of those that are written exactly so, and no others. */
import type { Clause, Wording } from './types'

const quoted = String.raw`("(?:[^"\\]|\\.)*")`
const listed = String.raw`(\[[^\]]*\])`

/** Code, whether it is about a member of the input, and how it is written; % stands for its texts, # for its member. */
const forms: readonly (readonly [code: Clause['code'], form: string])[] = [
  ['equals', '#input. == %'],
  ['begins', '#input..startsWith(%)'],
  ['lacks', '!#input..contains(%)'],
  ['under', 'under(#input., %)'],
  ['run_under', 'under(".", %)'],
  ['host', 'host(#input.) in %s'],
  ['programs', 'shell(#input.).names.all(n, n in %s)'],
  ['agent', 'agent.id == %'],
  ['risk_not', 'risk != %'],
  ['risk', 'risk == %'],
]

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

const patterns = forms.map(([code, form]) => {
  const [before = '', after = ''] = form.includes('#') ? form.split('#input.') : ['', form]
  const body = (form.includes('#') ? `${escaped(before)}input\\.(\\w+)` : '()') + escaped(after).replace('%s', listed).replace('%', quoted)
  return { code, form, pattern: new RegExp(`^${body}$`) }
})

function clauseOf(source: string): Clause | null {
  for (const { code, pattern } of patterns) {
    const found = pattern.exec(source)
    if (!found) continue
    const texts = JSON.parse(found[2] ?? '[]') as string | string[]
    return { code, key: found[1] ?? '', texts: [texts].flat() }
  }
  return null
}

export function wordingOf(condition: string): Wording {
  const clauses = condition.split(' && ').map(clauseOf)
  const known = clauses.filter((clause) => clause !== null)
  const advanced = known.length < clauses.length
  return { condition, clauses: advanced ? [] : known, advanced }
}

export function conditionOf(clauses: readonly Clause[]): string {
  return clauses
    .map(({ code, key, texts }) => {
      const form = forms.find(([name]) => name === code)?.[1] ?? ''
      return form.replace('#input.', `input.${key}`).replace('%s', JSON.stringify(texts)).replace('%', JSON.stringify(texts[0]))
    })
    .join(' && ')
}
