/** The states of a task in the order of the list, each with its sign. */
const order = ['review', 'blocked', 'in_progress', 'todo', 'failed', 'done']

export function byState(a: string, b: string): number {
  return order.indexOf(a) - order.indexOf(b)
}

const looks = {
  review: ['ask', 'ask'],
  blocked: ['warning', 'care'],
  in_progress: ['agent', 'plain'],
  todo: ['clock', 'muted'],
  failed: ['deny', 'deny'],
  done: ['allow', 'allow'],
} as const

export function lookOf(state: string): (typeof looks)[keyof typeof looks] {
  return Object.hasOwn(looks, state) ? looks[state as keyof typeof looks] : looks.todo
}

/** Whether a task may be given to an agent: nobody has begun it, or it is to be done again. */
export function canAssign(state: string): boolean {
  return ['todo', 'failed', 'blocked'].includes(state)
}

/** Whether it has not ended. */
export function isOpen(state: string): boolean {
  return ['todo', 'in_progress', 'review'].includes(state)
}
