import { useHash } from '../ui/use-hash'
import { screens, type ScreenObject } from './screens'

/** The screen that an address names (#/rules, #/rules?rule=ID); the first where it names none. */
export function screenAt(hash: string): ScreenObject {
  const [at] = hash.split('?')
  return screens.find(({ name }) => at === `#/${name}`) ?? screens[0]
}

/** The screen of the page's address, so that reload and "back" work. */
export function useScreen(): ScreenObject {
  return screenAt(useHash())
}
