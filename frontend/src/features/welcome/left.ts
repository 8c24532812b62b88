import type { Result } from '../../desk/resources'

const key = 'sekisho.welcome'

/** Whether the person has left the welcome on this machine, after the first call. */
export function hasLeft(): boolean {
  return kept() === 'left'
}

export function keepLeft(): void {
  keep('left')
}

/** Whether a desk was seen on this machine that needed no welcome: from then on none is loaded before a desk says that it needs it. */
export function wasOver(): boolean {
  return kept() !== null
}

export function keepOver(): void {
  if (!wasOver()) keep('over')
}

function kept(): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

function keep(how: 'left' | 'over'): void {
  try {
    localStorage.setItem(key, how)
  } catch {
    // Without storage it is left as long as the page, and loaded with each.
  }
}

/** Whether a desk that has come so far needs no welcome. */
export function isOver({ calls, rules }: Pick<Result<'firstSteps'>, 'calls' | 'rules'>, left: boolean): boolean {
  return calls !== 'none' && (calls === 'many' || left || rules)
}
