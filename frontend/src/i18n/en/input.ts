/** English: the view of an input. */
export const input = {
  'input.label': 'Input of the call',
  'input.noParameters': 'No parameters.',
  'input.notJson': 'This is not JSON. It is shown exactly as it came.',
  'input.hidden': { one: '{count} hidden character, marked below', other: '{count} hidden characters, marked below' },
  'input.folded': { one: '{count} character is folded here', other: '{count} characters are folded here' },
  'input.long': { one: '{count} character, {folded} of them folded in the middle', other: '{count} characters, {folded} of them folded in the middle' },
  'input.size': { one: '{count} character', other: '{count} characters' },
  'input.showAll': 'Show all',
  'input.copy': 'Copy as sent',
  'input.counting': 'Counting hidden characters…',
  'input.foreign': { one: '{count} letter that looks like another one, marked below', other: '{count} letters that look like others, marked below' },
  'input.lines': { one: '{count} line', other: '{count} lines' },
  'input.unfolding': 'Unfolding…',
} as const
