import type { Call } from './types'

interface Details {
  code: string
  message: string
  field?: string | undefined
  call?: Call | undefined
}

/** What the desk says when it does not do as asked. Branch on code; message is the desk's own English. */
export class DeskError extends Error {
  override readonly name = 'DeskError'
  readonly code: string
  /** The path of the bad field, for code invalid. */
  readonly field: string | undefined
  /** The call as it stands, for conflicts. */
  readonly call: Call | undefined

  constructor({ code, message, field, call }: Details) {
    super(message)
    this.code = code
    this.field = field
    this.call = call
  }

  /** Anything thrown, as a DeskError: what is not one is a desk that cannot be reached. */
  static from(thrown: unknown): DeskError {
    if (thrown instanceof DeskError) return thrown
    return new DeskError({ code: 'unreachable', message: thrown instanceof Error ? thrown.message : String(thrown) })
  }
}
