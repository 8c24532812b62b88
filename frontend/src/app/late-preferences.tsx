import { Late } from '../features/approvals/late'
import { LateComponent } from '../ui/late-component'

const preferences = new LateComponent(() => import('./preferences').then(({ Preferences }) => Preferences))

/** Language and appearance, which nobody needs before the first screen is there. */
export function LatePreferences() {
  return <Late part={preferences} props={{}} />
}
