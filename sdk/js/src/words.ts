// What a model is told of a call that did not run, or may have run.

import type { Call } from './api.js'

const most = 4000

/** Says to a model why a call was not executed: never empty, at most 4,000 characters. */
export function words(call: Call): string {
  const reason = call.decision?.reason || call.why.reason
  return said(call.status, reason).slice(0, most)
}

function said(status: Call['status'], reason: string): string {
  switch (status) {
    case 'declined':
      return reason || 'A person declined this call. It was not executed.'
    case 'expired':
      return reason.startsWith('Approval timeout: ') && reason.includes('not a judgement')
        ? reason
        : 'Approval timeout: nobody answered in time; this is not a judgement of the call'
    case 'denied':
    case 'revoked':
      return reason || 'A rule forbids this call. It was not executed.'
    case 'cancelled':
      return 'Approval request was cancelled'
    case 'in_doubt':
      return 'This call may have run; do not repeat it. Ask the user to look.'
    default:
      return `The call is ${status} at the desk, and was not executed for this request.`
  }
}
