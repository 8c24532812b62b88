import type { In } from '../catalogue'
import type { shell as source } from '../en/shell'

/** Traditional Chinese: the way around. */
export const shell: In<typeof source> = {
  'nav.label': '主選單',
  'nav.skip': '跳到內容',
  'nav.waiting': '待核准',
  'nav.rules': '規則',
  'nav.grants': '授權',
  'nav.activity': '活動紀錄',
  'nav.servers': '伺服器',
  'nav.agents': '代理程式',
  'nav.settings': '設定',
  'settings.language': '語言',
  'settings.theme': '外觀',
  'theme.system': '跟隨系統',
  'theme.light': '淺色',
  'theme.dark': '深色',
  'face.window': '桌面版',
  'face.browser': '瀏覽器',
  'face.fake': '範例資料',
  'app.unreachable': '櫃台沒有回應。這段期間不會核准任何事情；本頁會持續嘗試連線。',
  'hold.switch': '全部攔下：未經詢問，一律不允許',
  'hold.on': '目前全部攔下：未經詢問，一律不允許。',
  'signIn.title': '登入櫃台',
  'signIn.none': '本頁僅供櫃台的操作者使用。請在執行櫃台的機器上輸入以下指令，並開啟它印出的網址。',
  'signIn.bad-code': '這個登入網址已經用過或不完整。請取得新的網址。',
  'signIn.ended': '櫃台已不認得這個分頁。請取得新的登入網址。',
  'signIn.unreachable': '櫃台沒有回應。請確認 sekishod 正在執行，再取得新的登入網址。',
  'signIn.note': '每個網址只能使用一次。取得的金鑰只留在這個分頁，絕不會成為 Cookie。',
}
