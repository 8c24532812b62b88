import { DeskError } from './desk-error'
import { read } from './read'

const key = 'sekisho.operator'

/** Where the page keeps its bearer: this tab alone, and never a cookie. */
export function storedToken(): string | null {
  try {
    return sessionStorage.getItem(key)
  } catch {
    return null
  }
}

export function storeToken(token: string | null): void {
  try {
    if (token === null) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, token)
  } catch {
    // Without storage the person signs in again after a reload.
  }
}

/**
 * Takes the one-time code out of the address (#login=CODE) and out of the
 * history at once, so that it is neither kept nor shown.
 */
export function takeLoginCode(): string | null {
  const found = /^#login=(.+)$/.exec(window.location.hash)
  if (!found?.[1]) return null
  window.history.replaceState(null, '', window.location.pathname + window.location.search)
  try {
    return decodeURIComponent(found[1])
  } catch {
    return found[1] // it is no code of ours, and the desk says so
  }
}

/** Changes a one-time code for a bearer token. */
export async function signIn(code: string, send: typeof fetch = fetch): Promise<string> {
  const response = await send('/v1/login', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ code }),
    credentials: 'omit',
    cache: 'no-store',
  }).catch((cause: unknown) => {
    throw DeskError.from(cause)
  })
  if (!response.ok) throw new DeskError({ code: 'bad_login', message: 'the sign-in address was used already or is wrong' })
  return read('LoginOutBody', await response.json()).token
}
