import { part as found } from '../features/agents/found-part'
import { firstRule, part as welcome } from '../features/welcome/part'
import type { Language } from '../i18n/catalogue'
import { openPart } from './open-part'

/**
 * Loads the parts of the welcome of a new desk beside each other; by themselves they would come one after the other. It ends
 * when they are loaded, or cannot be. One of them is for a desk of which a call was answered.
 */
export async function loadWelcome(language: Language, answered: boolean): Promise<void> {
  await Promise.all([openPart(welcome, language).over, openPart(found, language).over, answered && openPart(firstRule, language).over])
}
