import type { In } from '../catalogue'
import type { shell as source } from '../en/shell'

/** Japanese: the way around. */
export const shell: In<typeof source> = {
  'nav.label': 'メイン',
  'nav.skip': '本文へ移動',
  'settings.language': '言語',
  'settings.theme': '外観',
  'theme.system': 'システムに合わせる',
  'theme.light': 'ライト',
  'theme.dark': 'ダーク',
  'face.window': 'デスクトップ',
  'face.browser': 'ブラウザー',
  'face.fake': 'サンプルデータ',
  'app.renewed': 'このウィンドウのページが終了したため、読み込み直しました。待っている呼び出しは再び表示され、書きかけの内容は残っています。',
  'app.unreachable': 'デスクが応答しません。その間は何も承認されません。このページは接続を試み続けます。',
  'app.trouble': 'デスクがディスクに保存しているデータに問題があります。',
  'app.failed': 'このページは停止しました',
  'app.failedText': '表示できないものがあったため、このページはもう信頼できません。デスクは動き続けています。待機中の呼び出しはそのまま待ち、送信済みの答えは有効です。まだ送っていなかった承認は取り消されました。',
  'app.reload': 'ページを読み込み直す',
  'app.screenFailed': 'この画面を表示できませんでした',
  'app.screenFailedText': 'ほかの画面と、待っている呼び出しのダイアログはこれまでどおり使えます。',
  'app.dialogFailed': 'この呼び出しを表示できなかったため、ここでは回答できません。',
  'app.dialogFailedText': 'まだ何も決まっていません。呼び出しは待ち続けます。',
  'hold.switch': 'すべて保留する（新しいことは確認なしに行わない）',
  'hold.on': 'すべて保留中です。新しいことは確認なしには行われません。接続、一覧、進行中のものは通ります。',
  'signIn.title': 'デスクにサインイン',
  'signIn.none': 'このページはデスクの操作者専用です。デスクが動いているマシンで次のコマンドを実行し、表示されたアドレスを開いてください。',
  'signIn.bad-code': 'このサインイン用アドレスは使用済みか、不完全です。新しいアドレスを発行してください。',
  'signIn.ended': 'このタブのキーはデスクで無効になりました。新しいサインイン用アドレスを発行してください。',
  'signIn.unreachable': 'デスクが応答しません。sekishod が動いていることを確かめてから、新しいサインイン用アドレスを発行してください。',
  'signIn.note': 'アドレスは一度だけ使えます。受け取ったキーはこのタブの中だけに保存され、Cookie にはなりません。',
}
