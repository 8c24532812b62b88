/** English: errors. */
export const errors = {
  'error.unreachable': 'The desk does not answer. Nothing was changed.',
  'error.unavailable': 'The desk is closing or busy. Try again.',
  'error.unauthorized': 'You are signed out.',
  'error.forbidden': 'This is not allowed here.',
  'error.already_decided': 'This call was answered before.',
  'error.expired': 'Too late: the time of this call ran out. It did not run.',
  'error.cancelled': 'The agent took this call back.',
  'error.denied': 'A rule denies this call. It did not run.',
  'error.revoked': 'The approval of this call was taken back. It did not run.',
  'error.hash_mismatch': 'The input is not the one that was shown. Look again.',
  'error.not_armed': 'Look at it a moment longer, then answer.',
  'error.stale': 'The call changed while you answered. Look again.',
  'error.not_found': 'This no longer exists.',
  'error.lost_update': 'Someone else changed this meanwhile.',
  'error.already_exists': 'This name is taken.',
  'error.other': 'The desk says: {message}',
} as const
