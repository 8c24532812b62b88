import type { ReactNode } from 'react'
import { useCoded } from './coded'
import { listed, type Quote } from './listed'
import { isKey } from './words'

interface PartClause {
  code: string
  key: string
  texts: readonly string[]
}

interface Clause extends PartClause {
  parts?: readonly (readonly PartClause[])[] | undefined
}

type Key = Parameters<ReturnType<typeof useCoded>['t']>[0]

/** Members of an input that name the file that a tool works on. */
const files = new Set(['path', 'file_path', 'filePath', 'filepath', 'file', 'filename', 'fileName', 'notebook_path', 'notebookPath'])

/** The clauses of a condition in the person's language; quote shows what is a rule's own. An agent that is known is told by its name, too. */
export function useClauseWords(quote: Quote, agents?: readonly { id: string; name: string }[] | null) {
  const { language, t, tx, coded } = useCoded()
  const known = (key: string): Key | null => (isKey<Key>(key) ? key : null)
  const word = (family: string, text: string): ReactNode => {
    const key = known(`${family}.${text}`)
    return key === null ? quote(text) : t(key)
  }

  const several = (all: readonly ReactNode[]) => listed(language, 'unit', all)
  const named = (texts: readonly string[]) => several(texts.map((text) => (text === '' ? t('clause.nothing') : quote(text, text.startsWith('/') ? 'path' : undefined))))
  const effects = (texts: readonly string[]) => several(texts.map((text) => word('clause.effect', text)))
  const folders = (texts: readonly string[]) => several(texts.map((text) => (text === '' ? t('part.callFolder') : quote(text, 'path'))))

  const agentOf = (id: string): ReactNode => {
    const name = agents?.find((agent) => agent.id === id)?.name
    return name === undefined ? quote(id) : tx('clause.agentNamed', { name: quote(name), id: quote(id) })
  }

  const part = ({ code, key, texts: all }: PartClause): ReactNode => {
    const key_ = quote(key)
    const texts = key === 'effects' ? effects(all) : named(all)
    switch (code) {
      case 'names':
        return texts
      case 'exactly':
        return tx((all.length === 0 && known(`part.${key}.none`)) || (known(`part.${key}`) ?? 'part.operands'), { texts })
      case 'among':
        return tx(known(`part.among.${key}`) ?? 'part.among.operands', { texts })
      case 'in':
      case 'in_not_git': {
        const what = tx(known(`part.in.${key}`) ?? 'part.in.other', { texts: folders(all), key: key_ })
        return code === 'in' ? what : tx('part.notGit', { what })
      }
      case 'hosts':
        return tx('part.hosts', { texts, key: key_ })
      case 'beside_folder': {
        const [folder = '', ...rest] = all
        return tx(rest.length === 0 ? 'part.besideNone' : 'part.beside', { folder: folders([folder]), texts: named(rest) })
      }
    }
    return tx('part.notAlone', { key: key_ })
  }

  const parts = (all: readonly (readonly PartClause[])[]): ReactNode =>
    all.map((clauses) => several(clauses.map(part))).reduce((a, b) => tx('clause.or', { a, b }))

  const clause = ({ code, key, texts, parts: of = [] }: Clause): ReactNode => {
    const places = { key: quote(key), texts: named(texts) }
    if (code === 'equals' && files.has(key)) return tx('clause.file', places)
    if (code === 'agent' || code === 'agents') return tx(`clause.${code}`, { texts: several(texts.map(agentOf)) })
    if (code === 'literal') return tx('clause.literal', { ...places, texts: quote(texts.join()) })
    if (code === 'risk' || code === 'risk_not') return tx(`clause.${code}`, { texts: several(texts.map((text) => word('clause.risk', text))) })
    if (code === 'sql') return tx('clause.sql', { ...places, texts: effects(texts) })
    if (code === 'parts') return tx('clause.parts', { ...places, parts: parts(of) })
    const known_ = known(`clause.${code}`)
    return known_ === null ? quote([code, key, ...texts].join(' ')) : tx(known_, places)
  }

  return {
    clause: (of: Clause): ReactNode => (coded ? clause(of) : null),
    /** A condition in words; in CEL where it cannot be said in words, or was not yet. */
    condition: (condition: string, wording: { clauses: readonly Clause[]; advanced: boolean } | undefined): ReactNode =>
      !coded || !wording || wording.advanced ? quote(condition, 'path') : several(wording.clauses.map(clause)),
  }
}
