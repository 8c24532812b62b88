import type { In } from '../../../i18n/catalogue'
import type { words as source } from './en'

/** Japanese: what is not as the journal says that it was left. */
export const words: In<typeof source> = {
  'differences.title': '記録と異なるデータ',
  'differences.lead':
    '次の項目は、ジャーナルの記録と異なっています。ディスクのビットが反転したか、別のプログラムがデータを書き換えた可能性があります。それぞれどちらの版を使うか選ぶまで、すべての呼び出しについて確認を求め、ここに挙がったサーバーは起動しません。',
  'differences.rules': 'ルール {name}',
  'differences.grants': '許可 {name}',
  'differences.settings': '設定',
  'differences.servers': 'サーバー {name}',
  'differences.agents': 'エージェント {name}。ジャーナルはトークンを保持していません。トークンが異なる場合、ジャーナルの版を選ぶとこのエージェントは削除されます。',
  'differences.tools': 'ツール {name} について記録されている内容',
  'differences.journal': 'ジャーナル自体がエントリ {name} で破損している、または鍵で署名されていないため、照合できません。ルール、サーバー、エージェント、設定を確認し、正しければ現状のままにしてください。',
  'differences.journalName': 'ジャーナルの名前が失われたか、署名時と異なります。先に他の相違を確認してください。その後、ジャーナルは元の名前、または新しい名前になります。',
  'differences.column': '項目',
  'differences.journalSays': 'ジャーナルの記録',
  'differences.tableSays': '現在の内容',
  'differences.none': 'なし',
  'differences.takeJournal': 'ジャーナルの記録に戻す',
  'differences.remove': 'ジャーナルの記録どおり削除する',
  'differences.takeTable': '現在の内容のままにする',
  'differences.leaveOut': 'ないままにする',
  'differences.allJournal': 'すべてをジャーナルの記録に戻す',
  'differences.allTable': 'すべてを現在の内容のままにする',
}
