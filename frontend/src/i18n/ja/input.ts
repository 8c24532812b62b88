import type { In } from '../catalogue'
import type { input as source } from '../en/input'

/** Japanese: the view of an input. */
export const input: In<typeof source> = {
  'input.label': '呼び出しの入力',
  'envelope.label': '呼び出しの付帯情報',
  'envelope.heading': '入力以外',
  'envelope.about': 'エージェントから届いたまま（未検証）。サーバーにもそのまま渡ります',
  'envelope.folded': 'クライアント自身の情報: {names}',
  'input.noParameters': 'パラメーターはありません。',
  'input.notJson': 'JSON ではありません。届いたまま表示しています。',
  'input.hidden': { other: '見えない文字が {count} 個あります（下に印を付けています）' },
  'input.folded': { other: 'ここに {count} 文字が折りたたまれています' },
  'input.long': { other: '全 {count} 文字。途中の {folded} 文字は折りたたまれています' },
  'input.size': { other: '{count} 文字' },
  'input.showAll': 'すべて表示',
  'input.copy': '届いたままコピー',
  'input.counting': '見えない文字を数えています…',
  'input.foreign': { other: '別の文字に似せた文字が {count} 個あります（下に印を付けています）' },
  'input.lines': { other: '{count} 行' },
  'input.unfolding': '展開中…',
}
