/** What a person writes and chooses before answering, and the answer that it makes. */
import type { Answer } from '../../../desk/types'
import { asAnswer, onlyThis, type Reach } from './reach'

/** A person's answer as the dialog gives it; the queue adds what was shown. */
export type Verdict = Omit<Answer, 'inputHash' | 'rev'>

/** What goes with a verdict, beside the call that it is for. */
export interface Beside {
  /** Waiting calls that ask for the same and are answered alike: those that were counted when the answer was given. */
  identical: readonly string[]
  /** A rule was saved together with this answer, and stands whatever comes of it. */
  ruleSaved: boolean
}

export interface Draft {
  reach: Reach
  reason: string
  /** The input as the person edited it; null as it was sent. */
  edited: string | null
  /** For a call with a resumeSchema, JSON text. */
  data: string
  identical: boolean
  /** The person says that not all of the input was read. */
  unread: boolean
}

export const blankDraft: Draft = { reach: onlyThis, reason: '', edited: null, data: '', identical: false, unread: false }

/** fileVersion is that of the file as it was shown; '' is none. */
export function yes({ edited, data }: Draft, reach: Reach, fileVersion = ''): Verdict {
  return {
    approved: true,
    reason: '',
    ...asAnswer(reach),
    ...(edited === null ? {} : { input: edited }),
    ...(data.trim() === '' ? {} : { resumeData: data }),
    ...(edited !== null || fileVersion === '' ? {} : { fileVersion }),
  }
}

export function no({ reason }: Draft): Verdict {
  return { approved: false, reason: reason.trim() }
}

/** Whether the data may be sent as they are: none, or JSON. */
export function dataReadable(data: string): boolean {
  if (data.trim() === '') return true
  try {
    JSON.parse(data)
    return true
  } catch {
    return false
  }
}
