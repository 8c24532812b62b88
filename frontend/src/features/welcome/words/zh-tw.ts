import type { In } from '../../../i18n/catalogue'
import type { words as source } from './en'

/** Traditional Chinese: the first start. */
export const words: In<typeof source> = {
  'welcome.title': '歡迎來到關所',
  'welcome.lead': '代理程式的工具呼叫會在這裡停下。您信任的由規則放行，其餘一律等您決定。',
  'welcome.byHand': '其他程式嗎？請在{servers}把它的工具伺服器放到櫃台後面，再於{agents}給它權杖：有了權杖只能提出請求，不能核准。',
  'welcome.servers': '「伺服器」',
  'welcome.agents': '「代理程式」',
  'welcome.rules': '「規則」',
  'welcome.firstTitle': '第一個呼叫已有答覆',
  'welcome.firstRule': '這可能是您想要的第一條規則。有了它，像 {agent} 這次的呼叫，無論由哪個代理程式提出，不必詢問就能通過：',
  'welcome.allow': '允許 {what}',
  'welcome.makeRule': '建立這條規則',
  'welcome.leaveRule': '先不要',
  'welcome.ruleNone': '這個呼叫沒有可建議的規則。在有規則之前，呼叫都會等您決定。',
  'welcome.ruleMade': '規則已建立：這樣的呼叫現在不必詢問就能通過。它在{rules}裡。',
  'welcome.demo': '送出示範呼叫',
  'welcome.demoText': '不用應用程式也能試用：送出示範呼叫，它只會要求一句問候，不會動到任何東西。',
}
