import type { Desk } from './desk'
import { DeskError } from './desk-error'
import { HttpDesk } from './http-desk'
import { signIn, storedToken, storeToken, takeLoginCode } from './session'
import { inWindow } from './transport'
import { WindowDesk } from './window-desk'

/** Why there is no desk: never signed in, the code was refused, the key ended, or nobody answers. */
export type SignedOut = 'none' | 'bad-code' | 'ended' | 'unreachable'

export type Opened = { desk: Desk } | { signedOut: SignedOut }

/** The way in: which desk this page has, now and when its key ends. */
export class Entrance {
  #opened: Opened
  readonly #listeners = new Set<() => void>()

  constructor(opened: Opened) {
    this.#opened = opened
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  readonly state = (): Opened => this.#opened

  readonly signOut = (): void => {
    storeToken(null)
    this.#opened = { signedOut: 'ended' }
    for (const tell of this.#listeners) tell()
  }
}

/** Finds the face of the desk that this page has. A sign-in code in the address is taken out of it first. */
export async function openDesk(): Promise<Entrance> {
  if (inWindow()) return new Entrance({ desk: new WindowDesk() })
  const code = takeLoginCode()
  if (code !== null) {
    storeToken(null)
    try {
      storeToken(await signIn(code))
    } catch (error) {
      return new Entrance({ signedOut: DeskError.from(error).code === 'bad_login' ? 'bad-code' : 'unreachable' })
    }
  }
  const token = storedToken()
  if (token === null) return new Entrance({ signedOut: 'none' })
  const entrance: Entrance = new Entrance({
    desk: new HttpDesk({
      token,
      onSignedOut: () => {
        entrance.signOut()
      },
    }),
  })
  return entrance
}
