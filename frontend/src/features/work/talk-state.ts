import type { Conversation } from '../../desk/types'
import { person } from './use-work'

/** Whether the person is one of the two. */
export function isPersons({ participants }: Conversation): boolean {
  return participants.includes(person)
}

/** Whether the last word was an agent's to the person. */
export function waitsForPerson(talk: Conversation): boolean {
  return talk.state !== 'ended' && isPersons(talk) && talk.lastFrom !== person
}
