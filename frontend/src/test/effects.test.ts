import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/** Where an effect stands, and why nothing else does (a value that is derived, a key, an event, a store, a ref): one each. */
const reasons = {
  'app/shell.tsx': 'the title of the page is outside of React',
  'app/use-hold-key.ts': 'a key of the whole window, which does the newest thing it is for',
  'features/approvals/answer/use-arming.ts': 'the clock that arms runs while something is in view',
  'features/approvals/answer/use-held.ts': 'the time to undo runs out by itself, or at once when something else is in view',
  'features/approvals/answer/use-look.ts': 'the file on the disk is looked at while the call is in view',
  'features/approvals/answer/use-seen.ts': 'what is to be seen may be another element after each draw',
  'features/approvals/queue/use-pending-queue.ts': 'the queue lives outside of React, and is told before it follows the desk',
  'features/approvals/shapes/use-told.ts': 'what is counted while it is drawn below counts for what is above',
  'features/rules/rule-list.tsx': 'a rule is revealed once a draw has it',
  'features/rules/rules-body.tsx': 'the address leads to a rule once the list is drawn',
  'features/rules/use-reorder.ts': 'handlers that stay the same do the newest thing',
  'i18n/i18n.tsx': 'the language of the page is outside of React',
  'ui/json-view/use-json.ts': 'a long text is read in slices after the draw',
  'ui/modal.tsx': 'a dialog is opened by a method, and closed by the browser in its own ways',
  'ui/use-form.ts': 'a field takes the focus once it can be used again',
  'ui/use-kept.ts': 'a store of the browser has the text that is drawn, as long as it is',
  'ui/use-return-focus.ts': 'a button takes the focus once it is there again',
  'ui/virtual-list/virtual-list.tsx': 'rows are measured after the draw',
}

it('effects stand only where nothing else does, and in fewer than 20 places', () => {
  const all = readdirSync('src', { recursive: true, encoding: 'utf8' })
  const files = all.filter((file) => /\.tsx?$/.test(file) && !/^test|\.test\./.test(file))
  const found = files.flatMap((file) => readFileSync(join('src', file), 'utf8').match(/\buse(Layout|Insertion)?Effect\(/g)?.map(() => file) ?? [])
  expect(found.sort()).toEqual(Object.keys(reasons))
  expect(found.length).toBeLessThan(20)
})
