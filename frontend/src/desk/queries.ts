import { keepPreviousData, notifyManager, QueryClient, useQuery, type Query } from '@tanstack/react-query'
import type { Desk } from './desk'
import { useDesk } from './desk-context'
import { follow, type Following } from './follow'
import { loaded, nothing, type Loaded } from './loaded'
import { keyOf, load, type Key, type KeyArguments, type Resource, type Result } from './resources'

notifyManager.setScheduler(queueMicrotask)

const clients = new WeakMap<Desk, QueryClient>()

/**
 * The cache of what screens load of a desk. What no screen shows is forgotten at once. It takes no part in the first load:
 * only what is loaded later imports it.
 */
function clientOf(desk: Desk): QueryClient {
  const known = clients.get(desk)
  if (known) return known
  const client = new QueryClient({ defaultOptions: { queries: { gcTime: 0, networkMode: 'always' } } })
  clients.set(desk, client)
  const cache = client.getQueryCache()
  const unanswered = ({ state }: Query) => state.fetchStatus === 'fetching' || (state.data as Loaded<unknown> | undefined)?.error != null
  const shown = () => cache.findAll({ type: 'active' })
  const follower = {
    renew: (names: readonly Resource[]) =>
      client.refetchQueries({ type: 'active', predicate: ({ queryKey }) => names.some((name) => name === queryKey[0]) }),
    unanswered: () => shown().filter(unanswered).map(({ queryKey }) => queryKey[0] as Resource),
  }
  let following: Following | null = null
  cache.subscribe(({ type }) => {
    if (type === 'observerAdded') (following ??= follow(desk, follower)).look()
    if (type !== 'observerRemoved' || shown().length > 0) return
    following?.stop()
    following = null
  })
  return client
}

/**
 * The query of a key; null asks nothing. That a request failed is part of its data: a query that has none
 * would lose its error while it is made again.
 */
function queryOf<N extends Resource>(desk: Desk, key: Key<N> | null, afterMs = 0) {
  return {
    queryKey: key ?? [],
    enabled: key !== null,
    queryFn: async ({ client, signal }: { client: QueryClient; signal: AbortSignal }): Promise<Loaded<Result<N>>> => {
      if (!key) return nothing
      if (afterMs > 0) await pause(afterMs, signal)
      return loaded(load(desk, key), () => client.getQueryData<Loaded<Result<N>>>(key) ?? nothing)
    },
  }
}

/** A resource as it is now. */
export function useLoaded<N extends Resource>(name: N, ...rest: KeyArguments<N>): Loaded<Result<N>> {
  const desk = useDesk()
  return useQuery(queryOf(desk, keyOf(name, rest)), clientOf(desk)).data ?? nothing
}

/** A resource that many show at the same time, as the rows of a list do: only the first of them asks for it. */
export function useShared<N extends Resource>(name: N, ...rest: KeyArguments<N>): Loaded<Result<N>> {
  const desk = useDesk()
  const query = queryOf(desk, keyOf(name, rest))
  return useQuery({ ...query, refetchOnMount: (shown) => shown.getObserversCount() < 2 }, clientOf(desk)).data ?? nothing
}

/** A resource that is asked for again every few milliseconds while what is known of it says so. */
export function useWatched<N extends Resource>(
  name: N,
  everyMs: (data: Result<N>) => number | false,
  ...rest: KeyArguments<N>
): Loaded<Result<N>> {
  const desk = useDesk()
  const query = queryOf(desk, keyOf(name, rest))
  const refetchInterval = ({ state: { data } }: { state: { data: Loaded<Result<N>> | undefined } }) =>
    data?.data != null && everyMs(data.data)
  return useQuery({ ...query, refetchInterval }, clientOf(desk)).data ?? nothing
}

export interface Answer<A> extends Loaded<A> {
  /** It answers what is asked now. While it does not, it is of what was written before. */
  current: boolean
}

const noAnswer: Answer<never> = { ...nothing, current: false }

/**
 * Asks the desk what would come of something that is being written: a while after it was last changed. Null asks
 * nothing. Only the answer to the newest question counts.
 */
export function useAnswer<N extends Resource>(afterMs: number, name: N, ...rest: KeyArguments<N>): Answer<Result<N>> {
  const desk = useDesk()
  const key = keyOf(name, rest)
  const { data, isPlaceholderData } = useQuery({ ...queryOf(desk, key, afterMs), placeholderData: keepPreviousData }, clientOf(desk))
  return key && data ? { ...data, current: !isPlaceholderData } : noAnswer
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(new Error('asked for something else'))
    })
  })
}
