import { LateComponent } from './late-component'
import type { OptionListProps } from './option-list'

/** The list of options, which nobody needs before the first screen is there. */
export const lateOptions = new LateComponent<OptionListProps>(() => import('./option-list').then(({ OptionList }) => OptionList))
