import type { Result } from '../../desk/resources'

const key = 'sekisho.welcome'

/** Whether the person has left the welcome on this machine, after the first call. */
export function hasLeft(): boolean {
  try {
    return localStorage.getItem(key) === 'left'
  } catch {
    return false
  }
}

export function keepLeft(): void {
  try {
    localStorage.setItem(key, 'left')
  } catch {
    // Without storage it is left as long as the page.
  }
}

/** Whether a desk that has come so far needs no welcome. */
export function isOver({ calls, rules }: Pick<Result<'firstSteps'>, 'calls' | 'rules'>, left: boolean): boolean {
  return calls !== 'none' && (calls === 'many' || left || rules)
}
