import type { In } from '../catalogue'
import type { common as source } from '../en/common'

/** Traditional Chinese: words of every screen. */
export const common: In<typeof source> = {
  'common.cancel': '取消',
  'common.save': '儲存',
  'common.edit': '編輯',
  'common.delete': '刪除',
  'common.copy': '複製',
  'common.copied': '已複製',
  'common.loading': '載入中…',
  'common.retry': '再試一次',
  'common.close': '關閉',
  'effect.allow': '允許',
  'effect.ask': '詢問',
  'effect.deny': '禁止',
  'risk.low': '低風險',
  'risk.medium': '中風險',
  'risk.high': '高風險',
  'method.read': '讀取資源',
  'method.subscribe': '訂閱資源',
  'method.prompt': '取得提示',
  'method.tool': '呼叫工具',
}
