import type { I18n } from './i18n'

const keys = { 'resources/read': 'method.read', 'resources/subscribe': 'method.subscribe', 'prompts/get': 'method.prompt' } as const

/** What is done beside calling a tool, in a word or two; '' for a tool call. */
export function methodWord(t: I18n['t'], method: string): string {
  if (method === 'tools/call') return ''
  const key = (keys as Partial<Record<string, (typeof keys)[keyof typeof keys]>>)[method]
  return key ? t(key) : method
}
