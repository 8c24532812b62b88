import type { In } from '../catalogue'
import type { queue as source } from '../en/queue'

/** Japanese: what waits. */
export const queue: In<typeof source> = {
  'waiting.title': '承認待ち',
  'waiting.lead': 'どのルールでも許可されない呼び出しは、あなたが答えるまでここで止まります。',
  'waiting.bar': { other: '{count} 件の呼び出しがあなたの答えを待っています' },
  'waiting.tab': { other: '({count}) Sekisho' },
  'waiting.review': '確認する',
  'waiting.reviewOne': '{tool} を確認する',
  'waiting.since': '{time} から',
  'waiting.from': '{agent} → {server}',
  'waiting.fromItself': '{agent} 自身のツール',
  'waiting.emptyTitle': '待っている呼び出しはありません',
  'waiting.emptyText': 'ルールで許可されないツールをエージェントが呼び出すと、ここで止まります。あなたが承認した場合にだけ実行されます。',
}
