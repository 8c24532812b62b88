import type { In } from '../../../i18n/catalogue'
import type { words as source } from './en'

/** Japanese: the live grants. */
export const words: In<typeof source> = {
  'grants.lead': '以前の回答のうち、今もあなたの代わりに答えているものです。セッションの終わり、または期限で終わります。',
  'grants.list': '有効な許可',
  'grants.hold': 'すべて保留する',
  'grants.release': '保留をやめる',
  'grants.emptyTitle': '有効な許可はありません',
  'grants.emptyText': '呼び出しの種類やセッション全体に対して答えると、終わるまでここに表示されます。',
  'grants.session': 'セッション {session}',
  'grants.upTo.low': '低リスクまで',
  'grants.upTo.medium': '中リスクまで',
  'grants.upTo.high': '高リスクまで',
  'grants.hits': { other: '使用 {count} 回' },
  'grants.withSession': 'セッションの終わりまで',
  'grants.left': '残り {time}',
  'grants.end': '終了する',
  'grants.keep': 'ルールとして残す',
  'grants.rules': { other: 'このほかに {count} 件のルールが確認なしで許可しています' },
}
