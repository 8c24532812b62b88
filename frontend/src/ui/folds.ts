import { createContext, use, type RefCallback } from 'react'

/** Takes what stands for a folded middle of a text while it is in the page. Lines that only repeat others are none. */
export const Folds = createContext<RefCallback<Element> | null>(null)

/** The ref of what stands for a folded middle: who counts them is told that something is not shown. */
export function useFold(): RefCallback<Element> | null {
  return use(Folds)
}
