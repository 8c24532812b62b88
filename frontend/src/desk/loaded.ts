import { DeskError } from './desk-error'

/** What is known of a resource. */
export interface Loaded<T> {
  /** The newest answer; null before the first. It stays while a later request fails. */
  data: T | null
  /** Why the newest request failed. */
  error: DeskError | null
}

export const nothing: Loaded<never> = { data: null, error: null }

/** What is known of a resource after one more request. */
export async function loaded<T>(request: Promise<T>, before: () => Loaded<T>): Promise<Loaded<T>> {
  try {
    return { data: await request, error: null }
  } catch (thrown) {
    return { data: before().data, error: DeskError.from(thrown) }
  }
}
