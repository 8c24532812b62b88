import type { In } from '../catalogue'
import type { shell as source } from '../en/shell'

/** Japanese: the way around. */
export const shell: In<typeof source> = {
  'nav.label': 'メイン',
  'nav.skip': '本文へ移動',
  'nav.waiting': '承認待ち',
  'nav.rules': 'ルール',
  'nav.grants': '許可',
  'nav.activity': '履歴',
  'nav.servers': 'サーバー',
  'nav.agents': 'エージェント',
  'nav.settings': '設定',
  'settings.language': '言語',
  'settings.theme': '外観',
  'theme.system': 'システムに合わせる',
  'theme.light': 'ライト',
  'theme.dark': 'ダーク',
  'face.window': 'デスクトップ',
  'face.browser': 'ブラウザー',
  'face.fake': 'サンプルデータ',
  'app.unreachable': 'デスクが応答しません。その間は何も承認されません。このページは接続を試み続けます。',
  'hold.switch': 'すべて保留する（確認なしには何も許可しない）',
  'hold.on': 'すべて保留中です。確認なしには何も許可されません。',
  'signIn.title': 'デスクにサインイン',
  'signIn.none': 'このページはデスクの操作者専用です。デスクが動いているマシンで次のコマンドを実行し、表示されたアドレスを開いてください。',
  'signIn.bad-code': 'このサインイン用アドレスは使用済みか、不完全です。新しいアドレスを発行してください。',
  'signIn.ended': 'このタブのキーはデスクで無効になりました。新しいサインイン用アドレスを発行してください。',
  'signIn.unreachable': 'デスクが応答しません。sekishod が動いていることを確かめてから、新しいサインイン用アドレスを発行してください。',
  'signIn.note': 'アドレスは一度だけ使えます。受け取ったキーはこのタブの中だけに保存され、Cookie にはなりません。',
}
