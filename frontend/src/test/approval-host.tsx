import { act, fireEvent, screen } from '@testing-library/react'
import { useEffect, useState } from 'react'
import { afterEach, beforeEach, vi } from 'vitest'
import { useDesk } from '../desk/desk-context'
import { DeskError } from '../desk/desk-error'
import { FakeDesk } from '../desk/fake-desk'
import type { PendingCall } from '../desk/types'
import { ApprovalDialog } from '../features/approvals/dialog/approval-dialog'
import '../features/approvals/composer/rule-choice' // which the dialog loads late, like this:
import '../features/approvals/answer/answer-questions'
import '../features/approvals/dialog/call-parts'
import '../features/approvals/shapes/edit-field'
import type { Gesture } from '../features/approvals/answer/arming'
import type { Beside, Verdict } from '../features/approvals/answer/draft'
import { renderAt } from './render'

interface Options {
  clockOffset?: number
  identical?: readonly string[]
  /** Events of tests are not trusted; unless strict, they are taken for a person's. */
  strict?: boolean
}

/** The dialog of one call, without a queue. What it was told beside answers is in these lists. */
export class DialogHost {
  readonly beside: Beside[] = []
  later = 0
  readonly desk: FakeDesk

  constructor(desk: FakeDesk) {
    this.desk = desk
  }

  /** Shows the first call of the desk, as it is now and becomes. */
  async open(options: Options = {}): Promise<HTMLElement> {
    renderAt(this.desk, <Host host={this} options={options} />)
    await tick(0)
    return screen.getByRole('alertdialog')
  }

  readonly onLater = (): void => {
    this.later++
  }

  readonly answer = async (call: PendingCall, verdict: Verdict, beside: Beside): Promise<DeskError | null> => {
    this.beside.push(beside)
    return this.desk.decide(call.id, { ...verdict, inputHash: call.inputHash, rev: call.rev }).then(() => null, DeskError.from)
  }
}

/** Before each test a dialog's host over a desk of its own, in a window that has the focus, by a clock that the test moves. */
export function eachDialog(take: (host: DialogHost, desk: FakeDesk) => void): void {
  beforeEach(() => {
    vi.useFakeTimers()
    vi.spyOn(document, 'hasFocus').mockReturnValue(true)
    const desk = new FakeDesk()
    take(new DialogHost(desk), desk)
  })
  afterEach(() => {
    vi.useRealTimers()
  })
}

const anyone: (event: Gesture) => boolean = () => true

function Host({ host, options: { strict = false, ...rest } }: { host: DialogHost; options: Options }) {
  const desk = useDesk()
  const [call, setCall] = useState<PendingCall | undefined>()
  useEffect(() => {
    const ask = () => void desk.pending().then(({ items }) => { setCall(items[0]) })
    ask()
    return desk.subscribe(ask)
  }, [desk])
  return (
    <>
      <button>elsewhere</button>
      {call && (
        <ApprovalDialog
          key={call.id}
          call={call}
          position={1}
          total={1}
          onAnswer={(verdict, beside) => host.answer(call, verdict, beside)}
          onLater={host.onLater}
          {...rest}
          {...(strict ? {} : { trusts: anyone })}
        />
      )}
    </>
  )
}

/** Lets time pass, of fake timers, a little at a time: what is drawn meanwhile may set timers of its own. */
export async function tick(ms: number): Promise<void> {
  const step = Math.max(100, ms / 20)
  await act(() => vi.advanceTimersByTimeAsync(0))
  for (let left = ms; left > 0; left -= step) await act(() => vi.advanceTimersByTimeAsync(Math.min(left, step)))
}

export const button = (name: string | RegExp) => screen.getByRole('button', { name })
export const inert = (name: string) => button(name).getAttribute('aria-disabled') === 'true'

/** Presses as a pointer does. */
export async function press(name: string | RegExp): Promise<void> {
  const target = button(name)
  fireEvent.pointerDown(target)
  fireEvent.pointerUp(target)
  fireEvent.click(target, { detail: 1 })
  await tick(0)
}
