import { useEffect, useState, type RefObject } from 'react'

/** Whether an element has been in view as a whole, if only once, since content was another. Nobody has read what never was. */
export function useSeen(element: RefObject<Element | null>, present: boolean, content = ''): boolean {
  const [seenOf, setSeenOf] = useState<string | null>(null)
  const seen = seenOf === content
  // After every render: the element may be another by then.
  useEffect(() => {
    if (!present || seen || element.current === null) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) setSeenOf(content)
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
