import type { In } from '../catalogue'
import type { agents as source } from '../en/agents'

/** Traditional Chinese: the agents. */
export const agents: In<typeof source> = {
  'agents.title': '代理程式',
  'agents.lead': '可以提出要求的程式。代理程式的權杖只能提出要求並查看自己的呼叫，永遠不能核准。',
  'agents.name': '名稱',
  'agents.nameHint': '文字、數字、空格、點、連字號',
  'agents.create': '建立代理程式',
  'agents.since': '自 {time} 起',
  'agents.revoke': '撤銷',
  'agents.revokeOne': '撤銷 {agent}',
  'agents.tokenTitle': '{agent} 的權杖',
  'agents.tokenText': '請立即複製。權杖只顯示這一次，櫃台只保存它的雜湊值。',
  'agents.token': '權杖',
  'agents.snippetStdio': '適用於會啟動程式的 MCP 用戶端（請將權杖放入只有您能讀取的 {file}）',
  'agents.snippetKept': '適用於會啟動程式的 MCP 用戶端（權杖保存在 {file}）',
  'agents.snippetHttp': '適用於使用 HTTP 的 MCP 用戶端',
  'agents.snippetHttpUnproved':
    '這類用戶端不會確認對方是否真的是 Sekisho：當 Sekisho 未執行時，佔用其連接埠的程式會拿到權杖。上方會啟動程式的方式則會先確認。',
  'agents.snippetServer': '伺服器',
  'agents.revokeTitle': '要撤銷 {agent} 嗎？',
  'agents.revokeText': '它的權杖會立即失效。它的呼叫會留在活動紀錄中。',
  'agents.revokeConfirm': '撤銷代理程式',
  'agents.emptyTitle': '還沒有代理程式',
  'agents.emptyText': '請為每個會呼叫工具的程式建立一個代理程式，並把權杖交給它。',
}
