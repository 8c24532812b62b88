import type { Call, Fault } from './types'

interface Details {
  code: string
  message: string
  fault?: Fault | undefined
  call?: Call | undefined
}

/** That a field is wrong, which is said in words of our own. */
export const faultAt = (field: string): Fault => ({ code: '', params: {}, field })

/** What the desk says when it does not do as asked. Branch on code; message is the desk's own English. */
export class DeskError extends Error {
  override readonly name = 'DeskError'
  readonly code: string
  /** What is wrong with which field, for code invalid. */
  readonly fault: Fault | undefined
  /** The call as it stands, for conflicts. */
  readonly call: Call | undefined

  constructor({ code, message, fault, call }: Details) {
    super(message)
    this.code = code
    this.fault = fault
    this.call = call
  }

  /** The path of the bad field. */
  get field(): string | undefined {
    return this.fault?.field
  }

  /** Anything thrown, as a DeskError: what is not one is a desk that cannot be reached. */
  static from(thrown: unknown): DeskError {
    if (thrown instanceof DeskError) return thrown
    return new DeskError({ code: 'unreachable', message: thrown instanceof Error ? thrown.message : String(thrown) })
  }
}
