import { LateComponent, useLate } from '../ui/late-component'

const late = new LateComponent(() => import('./preferences').then(({ Preferences }) => Preferences))

/** Language and appearance, which nobody needs before the first screen is there. */
export function LatePreferences() {
  const { component: Preferences } = useLate(late)
  return Preferences && <Preferences />
}
