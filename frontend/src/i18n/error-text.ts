import type { MessageKey } from './catalogue'
import { en } from './en'
import type { I18n } from './i18n'

/** What went wrong in the person's language; the desk's own English where we have no words for it. */
export function errorText(t: I18n['t'], error: { code: string; message: string }): string {
  const key = `error.${error.code}`
  return isKey(key) ? t(key) : t('error.other', { message: error.message || error.code })
}

function isKey(key: string): key is MessageKey {
  return Object.hasOwn(en, key)
}

/** The key of the words for a code of an open set, or null where we have none. */
export function keyFor(prefix: 'apps.why', code: string): MessageKey | null {
  const key = `${prefix}.${code}`
  return isKey(key) ? key : null
}

/** The word for a value of an open set (a status, who decided), or the value itself. */
export function wordFor(t: I18n['t'], prefix: 'status' | 'activity.by' | 'activity.scope' | 'servers' | 'shape.fileWhy', value: string): string {
  const key = `${prefix}.${value}`
  return isKey(key) ? t(key) : value
}
