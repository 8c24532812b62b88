import { useCallback, useRef, useState, type RefCallback, type RefObject } from 'react'
import type { PendingCall } from '../../../desk/types'
import { useTimeLeft } from '../../../ui/use-time-left'
import { useCallInput, type CallInput } from './use-call-input'
import { useLook, type Looked } from './use-look'
import { useSeen } from './use-seen'
import { useToolLook, type ToolLooked } from './use-tool-look'

/** Why a call cannot be approved as far as its view goes. */
export type Unseen = 'over' | 'loading' | 'unseen' | 'unread'

/** What of a call is in view. */
export interface View {
  input: CallInput
  looked: Looked
  /** What changed of the call's tool. */
  tool: ToolLooked
  start: RefObject<HTMLDivElement | null>
  end: RefObject<HTMLDivElement | null>
  /** Takes what stands for a folded middle of what is to be read: while one is there, not all was. */
  onFold: RefCallback<Element>
  /** Seconds until the call expires, and until its caller gives up; null where there is no such time. */
  left: number | null
  patience: number | null
  unseen: Unseen | null
  /** All of it is loaded, or will not be: nothing is shown by halves. */
  ready: boolean
  /** Takes another text when another number of deceiving characters is known. */
  onCounted: (counted: string) => void
  /** Names what is in view: another name means that something else would run. */
  name: string
}

/** Loads what belongs to a call and notes how much of it was in view. clockOffset: by how many milliseconds the desk's clock is ahead. */
export function useView(call: PendingCall, clockOffset: number): View {
  const input = useCallInput(call)
  const looked = useLook(call.id)
  const tool = useToolLook(call)
  const start = useRef<HTMLDivElement>(null)
  const end = useRef<HTMLDivElement>(null)
  const [counted, setCounted] = useState('')
  const [folds, setFolds] = useState(0)
  const onFold = useCallback(() => {
    setFolds((n) => n + 1)
    return () => {
      setFolds((n) => n - 1)
    }
  }, [])
  const shown = input.state === 'shown'
  const startSeen = useSeen(start, shown)
  const endSeen = useSeen(end, shown, `${String(folds)} ${looked.version}`) // what was folded moves the end
  const left = useTimeLeft(call.expiresAt, clockOffset)
  const patience = useTimeLeft(call.callerGone ? null : call.patienceUntil, clockOffset)
  const unseen = (): Unseen | null => {
    if (left === 0) return 'over'
    if (!shown || !looked.known || !tool.known || startSeen === null) return 'loading'
    if (!startSeen) return 'unseen'
    if (endSeen === true) return folds === 0 ? null : 'unread'
    return endSeen === null ? 'loading' : 'unread' // what is told of it makes the foot of the dialog higher
  }
  return {
    input,
    looked,
    tool,
    start,
    end,
    onFold,
    left,
    patience,
    unseen: unseen(),
    ready: input.state !== 'loading' && looked.known && tool.known,
    onCounted: setCounted,
    name: JSON.stringify([call.shownRev, call.risk, looked.version, tool.look?.shown, counted, left === 0]),
  }
}
