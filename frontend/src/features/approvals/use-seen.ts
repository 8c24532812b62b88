import { useEffect, useState, type RefObject } from 'react'

/** Whether an element has been in view as a whole, if only once. Nobody has read what never was. */
export function useSeen(element: RefObject<Element | null>, present: boolean): boolean {
  const [seen, setSeen] = useState(false)
  useEffect(() => {
    if (!present || seen || element.current === null) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) setSeen(true)
      },
      { threshold: 0.99 },
    )
    observer.observe(element.current)
    return () => {
      observer.disconnect()
    }
  }, [element, present, seen])
  return seen
}
