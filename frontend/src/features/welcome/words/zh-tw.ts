import type { In } from '../../../i18n/catalogue'
import type { words as source } from './en'

/** Traditional Chinese: the first start. */
export const words: In<typeof source> = {
  'welcome.title': '歡迎來到關所',
  'welcome.lead': '代理程式的工具呼叫會在這裡停下。您信任的由規則放行，其餘一律等您決定。',
  'welcome.servers': '把工具伺服器放到櫃檯後方',
  'welcome.serversText': '由本櫃檯啟動，代理程式只能經由這裡使用。',
  'welcome.agents': '將權杖交給代理程式',
  'welcome.agentsText': '將顯示的片段貼到代理程式的設定中。代理程式只能提出請求，無法核准。',
  'welcome.rules': '決定哪些無須詢問',
  'welcome.rulesText': '可以從五條範例規則開始，或由第一個停下的呼叫建立規則。',
  'welcome.done': '完成',
  'welcome.demo': '送出示範呼叫',
  'welcome.demoText': '它只會要求一句問候，不會動到任何東西。核准或拒絕都可以，看看會怎樣。',
}
