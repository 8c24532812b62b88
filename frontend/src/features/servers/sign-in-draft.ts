import type { SignInClient } from '../../desk/types'

export const clientFields = ['id', 'secret', 'scopes', 'port'] as const

/** A field of a client that is being written. */
export type ClientField = (typeof clientFields)[number]

export function draftOf(client: SignInClient | null): Record<ClientField, string> {
  return { id: client?.id ?? '', secret: client?.secret ?? '', scopes: client?.scopes.join(' ') ?? '', port: client?.callbackPort ? String(client.callbackPort) : '' }
}

export function clientOf({ id, secret, scopes, port }: Record<ClientField, string>): SignInClient {
  const callbackPort = port.trim() === '' ? 0 : Number(port) || -1
  return { id: id.trim(), secret, scopes: scopes.split(/\s+/).filter((s) => s !== ''), callbackPort }
}

/** client.callbackPort is the field port; what is of no field is empty. */
export function fieldOfClient(path = ''): ClientField | '' {
  const name = path.replace(/^client\./, '').split(/[.[]/)[0]
  return name === 'callbackPort' ? 'port' : (clientFields.find((f) => f === name) ?? '')
}
