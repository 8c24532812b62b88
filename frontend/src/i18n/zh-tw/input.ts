import type { In } from '../catalogue'
import type { input as source } from '../en/input'

/** Traditional Chinese: the view of an input. */
export const input: In<typeof source> = {
  'input.label': '呼叫的輸入',
  'envelope.label': '呼叫的附帶內容',
  'envelope.heading': '輸入以外',
  'envelope.about': '來自代理程式，未經檢查；伺服器也會收到',
  'envelope.folded': '用戶端自身的資訊：{names}',
  'input.noParameters': '沒有參數。',
  'input.notJson': '這不是 JSON。以下按收到的原樣顯示。',
  'input.hidden': { other: '有 {count} 個隱藏字元，已在下方標示' },
  'input.folded': { other: '此處收合了 {count} 個字元' },
  'input.long': { other: '共 {count} 個字元，中間收合了 {folded} 個' },
  'input.size': { other: '{count} 個字元' },
  'input.showAll': '全部顯示',
  'input.copy': '按原樣複製',
  'input.counting': '正在計算隱藏字元…',
  'input.foreign': { other: '有 {count} 個字母看起來像別的字母，已在下方標示' },
  'input.lines': { other: '{count} 行' },
  'input.unfolding': '正在展開…',
}
