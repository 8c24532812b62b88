import type { In } from '../catalogue'
import type { errors as source } from '../en/errors'

/** Traditional Chinese: errors. */
export const errors: In<typeof source> = {
  'error.unreachable': '櫃台沒有回應。沒有任何變更。',
  'error.unavailable': '櫃台正在關閉或忙碌中。請再試一次。',
  'error.unauthorized': '您已登出。',
  'error.forbidden': '此處不允許這樣做。',
  'error.already_decided': '這個呼叫先前已有回答。',
  'error.expired': '太遲了：這個呼叫已逾時，沒有執行。',
  'error.cancelled': '代理程式已收回這個呼叫。',
  'error.denied': '規則禁止這個呼叫，沒有執行。',
  'error.revoked': '這個呼叫的核准已被撤回，沒有執行。',
  'error.hash_mismatch': '輸入與顯示的內容不同。請再看一次。',
  'error.not_armed': '請再看一下，然後回答。',
  'error.stale': '您回答時呼叫已有變更。請再看一次。',
  'error.not_found': '已不存在。',
  'error.lost_update': '在此期間已被他人變更。',
  'error.already_exists': '這個名稱已被使用。',
  'error.too_large': '超過櫃台可接受的大小。',
  'error.internal': '櫃台發生問題，詳情請見櫃台的記錄檔。',
  'error.other': '櫃台回覆：{message}',
}
