/** English: the live grants. */
export const words = {
  'grants.lead': 'Your earlier answers that still speak for you. Each ends with its session, or when its time is over.',
  'grants.list': 'Live grants',
  'grants.hold': 'Hold everything',
  'grants.release': 'Stop holding',
  'grants.emptyTitle': 'No grants',
  'grants.emptyText': 'When you answer for a kind of call or for a whole session, that answer is listed here until it ends.',
  'grants.session': 'session {session}',
  'grants.upTo.low': 'up to low risk',
  'grants.upTo.medium': 'up to medium risk',
  'grants.upTo.high': 'up to high risk',
  'grants.hits': { one: 'used {count} time', other: 'used {count} times' },
  'grants.withSession': 'until the session ends',
  'grants.left': '{time} left',
  'grants.end': 'End',
  'grants.keep': 'Keep as a rule',
  'grants.rules': { one: '{count} rule also allows without asking', other: '{count} rules also allow without asking' },
} as const
