import { useEffect, useRef, useState, type ChangeEvent, type KeyboardEvent, type RefObject, type SubmitEvent } from 'react'
import { useKept } from './use-kept'

/** Why what was written is not taken; field is the path of what is wrong. */
interface Refusal {
  code: string
  message: string
  field?: string | undefined
}

/** Changes a part of a draft, or what a function makes of the draft as it is by then. */
export type Change<D> = (part: Partial<D> | ((now: D) => Partial<D>)) => void

/** How a form is sent (useAction). */
interface Sending<D, E extends Refusal> {
  busy: boolean
  error: E | null
  run: (draft: D, change: Change<D>) => Promise<E | null>
}

interface Options<D, E extends Refusal> {
  start: D
  sending: Sending<D, E>
  onCancel?: () => void
  /** The fields that show what is wrong with them. */
  fields: (draft: D) => readonly string[]
  /** The field of a path, where they are not the same; the path is empty where none is wrong by itself. */
  fieldOf?: (path: string) => string
  /** What is wrong, in words; the error's own message where it is left out. */
  words?: (error: E) => string
  /** Names the form where its draft outlives a reload of the page. */
  kept?: string
}

export interface Form<D> {
  draft: D
  change: Change<D>
  /** What is wrong with each field. */
  errors: Partial<Record<string, string>>
  /** What is wrong with none of the fields that show it. */
  elsewhere: string | null
  /** What a field for a text of the draft has. */
  field: (name: keyof D & string) => {
    value: string
    error: string | undefined
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => void
  }
  /** What the form has: Enter saves, Escape cancels. */
  form: { ref: RefObject<HTMLFormElement | null>; noValidate: true; onSubmit: (event: SubmitEvent) => void; onKeyDown: (event: KeyboardEvent) => void }
}

/** A form being written. What is refused is not lost: the focus goes to the field that is wrong, or back to where it was. */
export function useForm<D extends object, E extends Refusal>({
  start,
  sending: { busy, error, run },
  onCancel,
  fields,
  fieldOf = (path) => path,
  words = ({ message }) => message,
  kept,
}: Options<D, E>): Form<D> {
  const element = useRef<HTMLFormElement>(null)
  const began = useRef<Element | null>(null)
  const [first] = useState(start)
  const [draft, setDraft] = useKept(kept ?? null, '', first)
  // What cannot be used while it is sent loses the focus, and has it again only once it is drawn.
  useEffect(() => {
    const at = document.activeElement
    if (busy || !error || (at !== document.body && element.current?.contains(at) !== true)) return // they went on elsewhere
    const to = element.current?.querySelector('[aria-invalid=true]') ?? began.current
    if (to instanceof HTMLElement) to.focus()
  }, [busy, error])
  const change: Change<D> = (part) => {
    setDraft((old) => ({ ...old, ...(typeof part === 'function' ? part(old) : part) }))
  }
  const wrong = fieldOf(error?.field ?? '')
  const said = error && words(error)
  const errors = said !== null && fields(draft).includes(wrong) ? { [wrong]: said } : {}
  return {
    draft,
    change,
    errors,
    elsewhere: wrong in errors ? null : said,
    field: (name) => ({
      value: String(draft[name]),
      error: errors[name],
      onChange: (event) => {
        change({ [name]: event.currentTarget.value } as unknown as Partial<D>)
      },
    }),
    form: {
      ref: element,
      noValidate: true,
      onSubmit: (event) => {
        event.preventDefault()
        if (busy) return
        began.current = document.activeElement
        void run(draft, change)
      },
      onKeyDown: (event) => {
        if (!onCancel || event.key !== 'Escape' || event.nativeEvent.isComposing) return
        event.preventDefault()
        if (!busy) onCancel()
      },
    },
  }
}
