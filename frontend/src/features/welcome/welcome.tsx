import { useState, type ComponentType, type ReactNode } from 'react'
import { useLive } from '../../desk/live'
import type { FirstRuleProps } from './first-rule'
import { Greeting } from './greeting'
import { hasLeft, isOver, keepLeft } from './left'

interface Props {
  children?: ReactNode
  /** The apps that were found on the desk's machine; onPanel hears whether a panel of one is open. */
  Found: ComponentType<{ onPanel: (open: boolean) => void }>
  /** What is shown after the first call. */
  FirstRule: ComponentType<FirstRuleProps>
}

/** Leads a new desk to its first call, then to its first rule; its children once that is over. */
export function Welcome({ children, Found, FirstRule }: Props) {
  const { data } = useLive('firstSteps')
  const [left, setLeft] = useState(hasLeft)
  const [made, setMade] = useState(false)
  if (!data) return null
  const { answered, calls, rules } = data
  if (isOver({ calls, rules: rules && !made }, left)) return children
  if (!answered) return <Greeting Found={Found} />
  return (
    <FirstRule
      call={answered}
      Found={Found}
      made={made}
      onMade={() => {
        setMade(true)
      }}
      onLeave={() => {
        keepLeft()
        setLeft(true)
        document.getElementById('content')?.focus() // the button goes
      }}
    />
  )
}
