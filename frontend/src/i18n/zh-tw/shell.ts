import type { In } from '../catalogue'
import type { shell as source } from '../en/shell'

/** Traditional Chinese: the way around. */
export const shell: In<typeof source> = {
  'nav.label': '主選單',
  'nav.skip': '跳到內容',
  'settings.language': '語言',
  'settings.theme': '外觀',
  'theme.system': '跟隨系統',
  'theme.light': '淺色',
  'theme.dark': '深色',
  'face.window': '桌面版',
  'face.browser': '瀏覽器',
  'face.fake': '範例資料',
  'app.renewed': '此視窗的頁面曾經終止，現已重新載入。等待中的呼叫會再次顯示，您正在填寫的內容也已保留。',
  'app.unreachable': '櫃台沒有回應。這段期間不會核准任何事情；本頁會持續嘗試連線。',
  'app.trouble': '櫃台保存在磁碟上的資料有問題。',
  'app.failed': '本頁已停止',
  'app.failedText': '頁面上有內容無法顯示，因此本頁已不可信。櫃台仍在運作：等待中的呼叫會繼續等待，已送出的回答仍然有效，尚未送出的核准已捨棄。',
  'app.reload': '重新載入本頁',
  'app.screenFailed': '無法顯示這個畫面',
  'app.screenFailedText': '其他畫面，以及等候呼叫的對話方塊，仍可照常使用。',
  'app.dialogFailed': '無法顯示這個呼叫，因此不能在這裡回答。',
  'app.dialogFailedText': '尚未做出任何決定，它會繼續等候。',
  'hold.switch': '全部攔下：未經詢問，不做任何新的事',
  'hold.on': '目前全部攔下：未經詢問，不做任何新的事。連線、清單與進行中的仍會放行。',
  'signIn.title': '登入櫃台',
  'signIn.none': '本頁僅供櫃台的操作者使用。請在執行櫃台的機器上輸入以下指令，並開啟它印出的網址。',
  'signIn.bad-code': '這個登入網址已經用過或不完整。請取得新的網址。',
  'signIn.ended': '櫃台已不認得這個分頁。請取得新的登入網址。',
  'signIn.unreachable': '櫃台沒有回應。請確認 sekishod 正在執行，再取得新的登入網址。',
  'signIn.note': '每個網址只能使用一次。取得的金鑰只留在這個分頁，絕不會成為 Cookie。',
}
