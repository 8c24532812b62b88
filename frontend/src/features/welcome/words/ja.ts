import type { In } from '../../../i18n/catalogue'
import type { words as source } from './en'

/** Japanese: the first start. */
export const words: In<typeof source> = {
  'welcome.title': '関所へようこそ',
  'welcome.lead': 'エージェントのツール呼び出しはここで止まります。信頼するものはルールが通し、それ以外はあなたの回答を待ちます。',
  'welcome.servers': 'ツールサーバーをデスクの後ろに置く',
  'welcome.serversText': 'デスクが起動し、エージェントはここを通してのみ使えます。',
  'welcome.agents': 'エージェントにトークンを渡す',
  'welcome.agentsText': '表示される設定をエージェントの構成に貼り付けます。エージェントは依頼できますが、承認はできません。',
  'welcome.rules': '確認の要らないものを決める',
  'welcome.rulesText': '5 つの例から始めるか、最初に止まった呼び出しからルールを作れます。',
  'welcome.done': '完了',
  'welcome.demo': 'デモの呼び出しを送る',
  'welcome.demoText': '挨拶を求めるだけで、何にも触れません。承認しても断っても、様子を見られます。',
}
