import type { In } from '../catalogue'
import type { queue as source } from '../en/queue'

/** Traditional Chinese: what waits. */
export const queue: In<typeof source> = {
  'waiting.title': '待核准',
  'waiting.lead': '沒有規則允許的呼叫會停在這裡，直到您回答。',
  'waiting.bar': { other: '有 {count} 個呼叫在等您回答' },
  'waiting.tab': { other: '({count}) Sekisho' },
  'waiting.review': '檢視',
  'waiting.reviewOne': '檢視 {tool}',
  'waiting.since': '自 {time} 起',
  'waiting.from': '{agent} → {server}',
  'waiting.fromItself': '{agent} 自己的工具',
  'waiting.emptyTitle': '目前沒有等待中的呼叫',
  'waiting.emptyText': '當代理程式呼叫沒有規則允許的工具時，呼叫會停在這裡，只有經您核准才會執行。',
}
