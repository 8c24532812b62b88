import type { In } from '../../../i18n/catalogue'
import type { words as source } from './en'

/** Japanese: the first start. */
export const words: In<typeof source> = {
  'welcome.title': '関所へようこそ',
  'welcome.lead': 'エージェントのツール呼び出しはここで止まります。信頼するものはルールが通し、それ以外はあなたの回答を待ちます。',
  'welcome.byHand': 'ほかのプログラムの場合は、{servers} でツールサーバーをデスクの後ろに置き、{agents} でトークンを渡します。トークンで依頼はできますが、承認はできません。',
  'welcome.servers': 'サーバー',
  'welcome.agents': 'エージェント',
  'welcome.rules': 'ルール',
  'welcome.firstTitle': '最初の呼び出しに回答しました',
  'welcome.firstRule': '最初のルールの候補です。これがあれば、{agent} のこのような呼び出しは、どのエージェントからでも確認なしに通ります。',
  'welcome.allow': '許可：{what}',
  'welcome.makeRule': 'このルールを作る',
  'welcome.leaveRule': '作らない',
  'welcome.ruleNone': 'この呼び出しに提案できるルールはありません。ルールで決めるまで、呼び出しはあなたを待ちます。',
  'welcome.ruleMade': 'ルールができました。このような呼び出しはこれから確認なしに通ります。{rules} にあります。',
  'welcome.demo': 'デモの呼び出しを送る',
  'welcome.demoText': 'アプリなしで試すには、デモの呼び出しを送ってください。挨拶を求めるだけで、何にも触れません。',
}
