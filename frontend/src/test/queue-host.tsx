import { fireEvent, screen, within } from '@testing-library/react'
import { vi } from 'vitest'
import { FakeDesk } from '../desk/fake-desk'
import type { Call } from '../desk/types'
import { ApprovalDesk } from '../features/approvals/approval-desk'
import '../features/approvals/cards/doubt-card' // which is loaded late, like this:
import '../features/approvals/drawer/drawer-list'
import { usePendingQueue } from '../features/approvals/queue/use-pending-queue'
import { WaitingBar } from '../features/approvals/queue/waiting-bar'
import { renderAt } from './render'
import { sampleCall } from './samples'

interface Options {
  quiet?: boolean
  onQuiet?: (quiet: boolean) => void
  onExpand?: () => void
  /** Events of tests are not trusted; unless strict, they are taken for a person's. */
  strict?: boolean
}

function Approvals({ quiet = false, onQuiet = () => undefined, onExpand, strict = false }: Options) {
  const { queue, state } = usePendingQueue(quiet)
  return (
    <>
      <WaitingBar queue={queue} state={state} quiet={{ pressed: quiet, set: onQuiet }} />
      <ApprovalDesk queue={queue} state={state} onExpand={onExpand ?? null} {...(strict ? {} : { trusts: () => true })} />
    </>
  )
}

/** What waits, as the page shows it above its screens, over a desk in memory. */
export class QueueHost {
  readonly desk = new FakeDesk()

  constructor() {
    vi.spyOn(document, 'hasFocus').mockReturnValue(true)
  }

  open(options: Options = {}): void {
    renderAt(this.desk, <Approvals {...options} />)
  }

  /** As many calls, c0 and on, a minute apart. */
  put(count: number, part: (n: number) => Partial<Call>): void {
    for (let n = 0; n < count; n++) this.desk.put(sampleCall({ id: `c${String(n)}`, createdAt: at(n * 60), ...part(n) }))
  }
}

export const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString()
export const dialog = (): HTMLElement => screen.getByRole('alertdialog')
export const named = (name: RegExp): Promise<HTMLElement> => screen.findByRole('alertdialog', { name }, { timeout: 3000 })
export const said = (): string => screen.getAllByRole('status').map((status) => status.textContent).join('\n')

export function press(name: string | RegExp): void {
  fireEvent.click(within(dialog()).getByRole('button', { name }))
}
