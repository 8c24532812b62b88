import { useHash } from '../ui/use-hash'

export const screens = ['waiting', 'rules', 'grants', 'activity', 'servers', 'agents', 'settings'] as const

export type ScreenName = (typeof screens)[number]

/** The screen that the address names (#/rules, #/rules?rule=ID), so that reload and "back" work. */
export function useScreen(): ScreenName {
  const [at] = useHash().split('?')
  return screens.find((name) => at === `#/${name}`) ?? 'waiting'
}
