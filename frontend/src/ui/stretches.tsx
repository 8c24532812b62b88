import { characterName, codePoint } from './hidden-characters'
import type { Stretch } from './split-text'
import css from './agent-text.module.css'

/** Text in stretches, hidden characters as chips. Text nodes only: nothing of it is ever markup. */
export function Stretches({ of }: { of: readonly Stretch[] }) {
  return of.map((stretch, i) => <One key={i} stretch={stretch} />)
}

function One({ stretch }: { stretch: Stretch }) {
  switch (stretch.kind) {
    case 'plain':
      return stretch.text
    case 'escape':
      return <span className={css.escape}>{stretch.text}</span>
    case 'foreign':
      return <Foreign text={stretch.text} />
    case 'leftward':
      return (
        <bdi className={css.leftward} dir="rtl">
          {stretch.text}
        </bdi>
      )
    case 'blanks':
      return <Blanks text={stretch.text} />
    case 'hidden':
      return <Chip {...stretch} />
  }
}

/** The letter stays readable; its code point stands beside it. */
function Foreign({ text }: { text: string }) {
  const point = codePoint(text)
  return (
    <mark className={css.foreign} title={`${point} ${scriptOf(text)}`}>
      {text}
      <span className={css.point}>{point}</span>
    </mark>
  )
}

const scripts: [RegExp, string][] = [
  [/\p{Script=Cyrillic}/u, 'CYRILLIC'],
  [/\p{Script=Greek}/u, 'GREEK'],
  [/\p{Script=Cherokee}/u, 'CHEROKEE'],
  [/\p{Script=Armenian}/u, 'ARMENIAN'],
  [/\p{Script=Latin}/u, 'LATIN'],
]

function scriptOf(letter: string): string {
  return scripts.find(([pattern]) => pattern.test(letter))?.[1] ?? 'LOOK-ALIKE'
}

function Blanks({ text }: { text: string }) {
  return (
    <mark className={css.chip} title="U+0020 SPACE">
      ⟦U+0020⟧×{text.length}
    </mark>
  )
}

function Chip({ character, written, times }: Extract<Stretch, { kind: 'hidden' }>) {
  const point = codePoint(character)
  const label = written === character ? `⟦${point}⟧` : `${written}⟦${point}⟧`
  return (
    <mark className={css.chip} title={`${point} ${characterName(character)}`}>
      {label}
      {times > 1 && `×${String(times)}`}
    </mark>
  )
}
