import { useEffect, useState } from 'react'
import { useDesk } from '../desk/desk-context'

/** Whether the window is the small one for approvals alone; the style sheets know it by data-compact. */
export function useCompact(): boolean {
  const desk = useDesk()
  const [compact, setCompact] = useState(false)
  useEffect(() => desk.onCompact(setCompact), [desk])
  useEffect(() => {
    document.documentElement.toggleAttribute('data-compact', compact)
    return () => {
      document.documentElement.removeAttribute('data-compact')
    }
  }, [compact])
  return compact
}
