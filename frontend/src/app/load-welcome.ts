import { part as found } from '../features/agents/found-part'
import { firstRule, part as welcome } from '../features/welcome/part'
import type { Language } from '../i18n/catalogue'
import { openPart } from './open-part'

/**
 * Loads the parts of the welcome of a new desk beside each other; by themselves they would come one after the other. It ends
 * when they are loaded, or cannot be. What follows the first call is one of them as soon as there is a call.
 */
export async function loadWelcome(language: Language, called: boolean): Promise<void> {
  await Promise.all([openPart(welcome, language).over, openPart(found, language).over, called && openPart(firstRule, language).over])
}
