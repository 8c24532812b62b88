import { useEffect, useState, type RefObject } from 'react'

/**
 * Whether an element has been in view as a whole, if only once, since content was another; null until
 * that is known. Nobody has read what never was.
 */
export function useSeen(element: RefObject<Element | null>, present: boolean, content = ''): boolean | null {
  const [told, setTold] = useState<{ content: string; seen: boolean } | null>(null)
  const seen = told?.content === content ? told.seen : null
  // After every render: the element may be another by then.
  useEffect(() => {
    if (!present || seen === true || element.current === null) return
    const observer = new IntersectionObserver(
      (entries) => {
        const now = entries.some((entry) => entry.isIntersecting)
        if (now !== seen) setTold({ content, seen: now })
      },
      { threshold: 0.99 },
    )
    observer.observe(element.current)
    return () => {
      observer.disconnect()
    }
  })
  return seen
}
