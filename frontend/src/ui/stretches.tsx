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
      return (
        <mark className={css.foreign} title={codePoint(stretch.text)}>
          {stretch.text}
          <span className={css.point}>{codePoint(stretch.text)}</span>
        </mark>
      )
    case 'hidden':
      return <Chip {...stretch} />
  }
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
