import { useEffect, useEffectEvent } from 'react'

/** Tells what is in view to the one who watches it, at first and whenever it is another. */
export function useTold(shown: string, onShown: (shown: string) => void): void {
  const tell = useEffectEvent(onShown)
  useEffect(() => {
    tell(shown)
  }, [shown])
}
