/** English: what waits. */
export const queue = {
  'waiting.title': 'Waiting',
  'waiting.lead': 'Calls that no rule allows stop here until you answer.',
  'waiting.bar': { one: '{count} call is waiting for you', other: '{count} calls are waiting for you' },
  'waiting.tab': { one: '({count}) Sekisho', other: '({count}) Sekisho' },
  'waiting.review': 'Review',
  'waiting.reviewOne': 'Review {tool}',
  'waiting.since': 'since {time}',
  'waiting.from': '{agent} on {server}',
  'waiting.fromItself': '{agent}, a tool of its own',
  'waiting.emptyTitle': 'Nothing is waiting',
  'waiting.emptyText': 'When an agent calls a tool that no rule allows, the call stops here. It runs only if you approve it.',
} as const
