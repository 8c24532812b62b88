import type { DeskError } from '../../desk/desk-error'
import type { SignInClient } from '../../desk/types'

const fields = ['id', 'secret', 'scopes', 'port'] as const

/** A field of a client that is being written. */
export type ClientField = (typeof fields)[number]

export function draftOf(client: SignInClient | null): Record<ClientField, string> {
  return { id: client?.id ?? '', secret: client?.secret ?? '', scopes: client?.scopes.join(' ') ?? '', port: client?.callbackPort ? String(client.callbackPort) : '' }
}

/** client.callbackPort is the field port; what is of no field is null. */
export function fieldOfClient({ field = '' }: DeskError): ClientField | null {
  const name = field.replace(/^client\./, '').split(/[.[]/)[0]
  return name === 'callbackPort' ? 'port' : (fields.find((f) => f === name) ?? null)
}
