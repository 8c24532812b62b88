import type { ReactNode } from 'react'
import { useCoded } from './coded'
import { wordFor } from './error-text'
import type { Quote } from './listed'

interface Caller {
  role: string
  purpose: string
  task: { title: string } | null
}

/** What an agent is in its session, in the person's language: "worker, task: Write the release note". quote shows the title of the task. */
export function useCallerWords(quote: Quote) {
  const { t, tx, coded } = useCoded()
  const role = (name: string) => wordFor(t, 'caller.role', name)
  return {
    coded,
    role,
    purpose: (name: string) => wordFor(t, 'caller.purpose', name),
    whole: ({ role: name, purpose, task }: Caller): ReactNode =>
      task ? tx('caller.task', { role: role(name), task: quote(task.title) }) : tx('caller.session', { role: role(name), purpose: wordFor(t, 'caller.purpose', purpose) }),
  }
}
