import type { In } from '../catalogue'
import type { common as source } from '../en/common'

/** Japanese: words of every screen. */
export const common: In<typeof source> = {
  'common.cancel': 'キャンセル',
  'common.save': '保存',
  'common.edit': '編集',
  'common.delete': '削除',
  'common.copy': 'コピー',
  'common.copied': 'コピーしました',
  'common.loading': '読み込み中…',
  'common.retry': '再試行',
  'common.close': '閉じる',
  'effect.allow': '許可',
  'effect.ask': '確認',
  'effect.deny': '禁止',
  'risk.low': '低リスク',
  'risk.medium': '中リスク',
  'risk.high': '高リスク',
  'method.read': 'リソースの読み取り',
  'method.subscribe': 'リソースの購読',
  'method.prompt': 'プロンプトの取得',
  'method.tool': 'ツールの呼び出し',
}
