import type { In } from '../catalogue'
import type { errors as source } from '../en/errors'

/** Japanese: errors. */
export const errors: In<typeof source> = {
  'error.unreachable': 'デスクが応答しません。何も変更されていません。',
  'error.unavailable': 'デスクは終了中か混み合っています。もう一度お試しください。',
  'error.unauthorized': 'サインアウトされています。',
  'error.forbidden': 'ここでは許可されていません。',
  'error.already_decided': 'この呼び出しはすでに答えが出ています。',
  'error.expired': '手遅れです。この呼び出しは時間切れになり、実行されませんでした。',
  'error.cancelled': 'エージェントがこの呼び出しを取り下げました。',
  'error.denied': 'ルールがこの呼び出しを禁止しています。実行されていません。',
  'error.revoked': 'この呼び出しの承認は取り消されました。実行されていません。',
  'error.hash_mismatch': '入力が表示されたものと異なります。もう一度確認してください。',
  'error.not_armed': 'もう少し内容を見てから答えてください。',
  'error.stale': '答えている間に呼び出しが変わりました。もう一度確認してください。',
  'error.not_found': 'もう存在しません。',
  'error.lost_update': 'その間に別の人が変更しました。',
  'error.already_exists': 'この名前は使われています。',
  'error.too_large': 'デスクが受け取れる大きさを超えています。',
  'error.internal': 'デスクで問題が起きました。詳しくはデスクのログに書かれています。',
  'error.other': 'デスクからのメッセージ: {message}',
}
