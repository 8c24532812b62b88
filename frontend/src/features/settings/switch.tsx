import { useAction } from '../../desk/use-action'
import { Check } from '../../ui/check'

interface Props {
  label: string
  on: boolean
  /** Keeps it; what is shown afterwards is what the desk has. */
  onKeep: (on: boolean) => Promise<unknown>
}

/** A switch that stands as it was pressed until the desk has answered. */
export function Switch({ label, on, onKeep }: Props) {
  const { asked, run } = useAction(onKeep)
  return <Check label={label} checked={asked?.[0] ?? on} onChange={(wanted) => void run(wanted)} />
}
