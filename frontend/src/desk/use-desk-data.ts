import { useCallback, useEffect, useRef, useState } from 'react'
import type { Desk } from './desk'
import { useDesk } from './desk-context'
import { DeskError } from './desk-error'
import { pollWithoutEvents } from './poll'

export interface DeskData<T> {
  /** The newest answer; null before the first. It stays while a later request fails. */
  data: T | null
  error: DeskError | null
  reload: () => Promise<void>
}

const pollMs = 15_000

/** Hints of a moment lead to one request, and let the queue of waiting calls, which has no such patience, go first. */
const gatherMs = 100

/**
 * Loads something from the desk: now, soon after hints whose kind begins with one
 * of kinds, and every few seconds while no events come, or always with the kind
 * 'clock': for what changes without an event. load must be stable. Of
 * answers that overtake each other the one asked for last stays.
 */
export function useDeskData<T>(load: (desk: Desk) => Promise<T>, kinds: readonly string[]): DeskData<T> {
  const desk = useDesk()
  const [state, setState] = useState<{ data: T | null; error: DeskError | null }>({ data: null, error: null })
  const asked = useRef(0)
  const shown = useRef(0)
  const answered = useRef(0)
  const reload = useCallback(async () => {
    const mine = ++asked.current
    const settle = (next: (old: { data: T | null; error: DeskError | null }) => { data: T | null; error: DeskError | null }) => {
      if (mine < shown.current) return
      shown.current = mine
      setState(next)
    }
    try {
      const data = await load(desk)
      answered.current = Math.max(answered.current, mine)
      settle(() => ({ data, error: null }))
    } catch (error) {
      settle((old) => ({ data: old.data, error: DeskError.from(error) }))
    }
  }, [desk, load])
  const watched = kinds.join(' ')
  useEffect(() => {
    const again = () => void reload()
    const prefixes = watched.split(' ')
    let soon: ReturnType<typeof setTimeout> | undefined
    const stop = desk.subscribe(({ kind }) => {
      if (kind.includes('.') && !prefixes.some((p) => kind.startsWith(p))) return
      soon ??= setTimeout(() => {
        soon = undefined
        again()
      }, gatherMs)
    })
    const stopPolling = pollWithoutEvents(desk, {
      everyMs: pollMs,
      ask: again,
      answered: () => answered.current === asked.current,
      told: !prefixes.includes('clock'),
    })
    again()
    return () => {
      stop()
      clearTimeout(soon)
      stopPolling()
    }
  }, [desk, reload, watched])
  return { ...state, reload }
}
