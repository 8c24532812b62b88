import type { CommandPiece } from '../../../desk/types'

/** Ways to write into a file; >&1 and the like only join streams. */
const writing = /^(?:\d+|\{\w+\})?(?:>|>>|>\||&>|&>>|<>)$/

/** Places where what is written is gone. */
const nowhere = ['/dev/null', '/dev/stdout', '/dev/stderr', '/dev/tty']

/** Whether a redirection writes into what follows it. */
export function redirectsOut(piece: CommandPiece): boolean {
  return piece.kind === 'redirect' && writing.test(piece.text.trim())
}

/** The files that a command writes by redirection, each once, as they are written in it. */
export function writesOf(lines: readonly CommandPiece[][]): string[] {
  const targets = new Set<string>()
  for (const pieces of lines) for (const target of targetsIn(pieces)) targets.add(pieces.slice(target.from, target.to).map((p) => p.text).join(''))
  return [...targets].filter((target) => !nowhere.includes(target))
}

/** Where, among the pieces of a line, the targets of its writing redirections stand. */
export function targetsIn(pieces: readonly CommandPiece[]): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = []
  pieces.forEach((piece, i) => {
    if (!redirectsOut(piece)) return
    const from = pieces[i + 1]?.kind === 'blank' ? i + 2 : i + 1
    let to = from
    while (to < pieces.length && isWord(pieces[to])) to++
    if (to > from) found.push({ from, to })
  })
  return found
}

/** A word may have several pieces, as in "$HOME"/x. */
function isWord(piece: CommandPiece | undefined): boolean {
  return piece !== undefined && ['path', 'word', 'string', 'substitution'].includes(piece.kind)
}
