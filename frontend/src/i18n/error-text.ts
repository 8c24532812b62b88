import type { Values } from './format'
import type { I18n } from './i18n'
import { isKey } from './words'

/** What went wrong in the person's language; the desk's own English where we have no words for it. */
export function errorText(t: I18n['t'], error: { code: string; message: string }): string {
  return textFor(t, `error.${error.code}`) ?? t('error.other', { message: error.message || error.code })
}

/** The word for a value of an open set (a status, who decided), or the value itself. */
export function wordFor<K extends string>(t: I18n<K>['t'], prefix: string, value: string): string {
  return textFor(t, `${prefix}.${value}`) ?? value
}

/** The message of a key that was made of a code, or null where we have no words for it. */
function textFor<K extends string>(t: I18n<K>['t'], key: string, values?: Values): string | null {
  return isKey<K>(key) ? t(key, values) : null
}
