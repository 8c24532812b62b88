import { useState } from 'react'
import { Check } from '../../ui/check'

interface Props {
  label: string
  on: boolean
  /** Keeps it; what is shown afterwards is what the desk has. */
  onKeep: (on: boolean) => Promise<unknown>
}

/** A switch that stands as it was pressed until the desk has answered. */
export function Switch({ label, on, onKeep }: Props) {
  const [pressed, setPressed] = useState<boolean | null>(null)
  const keep = async (wanted: boolean) => {
    setPressed(wanted)
    await onKeep(wanted)
    setPressed(null)
  }
  return <Check label={label} checked={pressed ?? on} onChange={(wanted) => void keep(wanted)} />
}
