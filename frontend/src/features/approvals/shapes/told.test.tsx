import { expect, it } from 'vitest'
import { FakeDesk } from '../../../desk/fake-desk'
import { sampleCommand, sampleLast } from '../../../test/looks'
import { renderAt } from '../../../test/render'
import { CommandShape } from './command-shape'
import { LastDifference } from './last-difference'

const programs = [
  { word: 'ls', path: '/usr/bin/ls' },
  { word: './run', path: '/work/run' },
]

it.each([
  [false, 0, ['ls is /usr/bin/ls', './run is /work/run'], ['own PATH', 'not listed']],
  [true, 3, ['By the desk’s own PATH ls is /usr/bin/ls', './run is /work/run', '3 more programs are not listed here'], ['PATH ./run']],
])('programs are told with whose PATH they were found by: %s', (deskPath, more, has, not) => {
  const { container } = renderAt(new FakeDesk(), <CommandShape command={sampleCommand([[['program', 'ls']]], { programs, deskPath, more })} />)
  for (const words of has) expect(container.textContent).toContain(words)
  for (const words of not) expect(container.textContent).not.toContain(words)
})

it.each([
  [null, true, ['Exactly the same input'], ['folder']],
  ['/old', true, ['but in another folder', 'Its folder was /old'], ['Exactly']],
  ['', true, ['but in another folder', 'Its folder is not known'], ['Exactly']],
  ['/old', false, ['except path', 'Its folder was /old'], ['Exactly']],
])('an earlier call in the folder %s is told so, the same input: %s', (cwd, same, has, not) => {
  const changed = same ? [] : [{ key: 'path', before: '"x"', cut: false }]
  const { container } = renderAt(new FakeDesk(), <LastDifference last={sampleLast({ same, cwd, changed })} members={2} />)
  for (const words of has) expect(container.textContent).toContain(words)
  for (const words of not) expect(container.textContent).not.toContain(words)
})
