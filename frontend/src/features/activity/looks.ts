import type { IconName } from '../../ui/icon'

type Look = readonly [IconName, 'plain' | 'allow' | 'ask' | 'deny' | 'care' | 'muted']

const looks: Record<string, Look> = {
  pending: ['clock', 'ask'],
  approved: ['allow', 'allow'],
  claimed: ['clock', 'allow'],
  in_doubt: ['ask', 'care'],
  completed: ['allow', 'allow'],
  failed: ['warning', 'care'],
  denied: ['deny', 'deny'],
  declined: ['deny', 'deny'],
  expired: ['clock', 'muted'],
  cancelled: ['off', 'muted'],
  revoked: ['deny', 'deny'],
}

const plain: Look = ['any', 'plain']

/** The sign and the tone of what became of a call. */
export function lookOf(status: string): Look {
  return looks[status] ?? plain
}
