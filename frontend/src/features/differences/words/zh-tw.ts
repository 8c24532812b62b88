import type { In } from '../../../i18n/catalogue'
import type { words as source } from './en'

/** Traditional Chinese: what is not as the journal says that it was left. */
export const words: In<typeof source> = {
  'differences.title': '與紀錄不符的資料',
  'differences.lead': '下列項目與日誌的紀錄不同：可能是磁碟上的位元出錯，或有其他程式改寫了資料。在您為每一項選定版本之前，所有呼叫都會詢問您，此處列出的伺服器也不會啟動。',
  'differences.rules': '規則 {name}',
  'differences.grants': '授權 {name}',
  'differences.settings': '設定',
  'differences.servers': '伺服器 {name}',
  'differences.agents': '代理程式 {name}。日誌不保存它的權杖：若權杖不同，選擇日誌的版本會移除這個代理程式。',
  'differences.tools': '工具 {name} 的已知內容',
  'differences.journal': '日誌本身在第 {name} 筆紀錄損壞，或未以其金鑰簽署，無法用來比對。請檢查規則、伺服器、代理程式與設定，若都正確，請保留現狀。',
  'differences.journalName': '日誌的名稱遺失，或與簽署時不同。請先檢查其他差異；之後日誌會恢復原名，或重新命名。',
  'differences.column': '項目',
  'differences.journalSays': '日誌的紀錄',
  'differences.tableSays': '目前的內容',
  'differences.none': '不存在',
  'differences.takeJournal': '還原為日誌的紀錄',
  'differences.remove': '依日誌的紀錄移除',
  'differences.takeTable': '保留目前的內容',
  'differences.leaveOut': '維持不存在',
  'differences.allJournal': '全部還原為日誌的紀錄',
  'differences.allTable': '全部保留目前的內容',
}
