import { firstLanguage } from './language'
import { codeWords, loadFirstWords, loadWords } from './words'

const language = firstLanguage()

/** The first words, asked for by the module itself: a page that imports it first has them on their way while the rest of it is run. */
export const earlyWords = loadFirstWords(language)

/** Those of the desk's codes with them: what comes later draws the page anew. */
void loadWords(codeWords, language).catch(() => undefined)
