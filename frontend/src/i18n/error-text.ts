import type { Values } from './format'
import type { I18n } from './i18n'
import { isKey } from './words'

/** What is wrong with a field, which its path names: a code, and the values that the words of the code name. */
interface Fault {
  code: string
  params: Record<string, string | number>
  field: string
}

/** What went wrong in the person's language; the desk's own English where we have no words for it. A field is called by its label where there is one. */
export function errorText(t: I18n['t'], { code, message, fault }: { code: string; message: string; fault?: Fault | undefined }, label?: string): string {
  return (code === 'invalid' && fault ? faultText(t, fault, label) : textFor(t, `error.${code}`)) ?? t('error.other', { message: message || code })
}

/** What is wrong with a field in the person's language; null where we have no words for it. */
function faultText(t: I18n['t'], fault: Fault, label = fault.field): string | null {
  const text = textFor(t, `field.${fault.code}`, { ...faultParams(fault), field: label })
  return text === null || /\{\w+\}/.test(text) ? null : text // the desk gives no value for a place in the words
}

/** What the words of a fault name: the field's path, and the name of the variable or header that it is of. */
export function faultParams({ field, params }: Fault): Fault['params'] {
  const name = /(?:^|\.)(?:env|headers)\.(.+)$/s.exec(field)?.[1] ?? ''
  return { field, name, ...params }
}

/** The word for a value of an open set (a status, who decided), or the value itself. */
export function wordFor<K extends string>(t: I18n<K>['t'], prefix: string, value: string): string {
  return textFor(t, `${prefix}.${value}`) ?? value
}

/** The message of a key that was made of a code, or null where we have no words for it. */
function textFor<K extends string>(t: I18n<K>['t'], key: string, values?: Values): string | null {
  return isKey<K>(key) ? t(key, values) : null
}
