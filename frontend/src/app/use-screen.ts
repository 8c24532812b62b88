import { useHash } from '../ui/use-hash'
import { screens, type ScreenObject } from './screens'

/** The screen that the address names (#/rules, #/rules?rule=ID), so that reload and "back" work. */
export function useScreen(): ScreenObject {
  const [at] = useHash().split('?')
  return screens.find(({ name }) => at === `#/${name}`) ?? screens[0]
}
