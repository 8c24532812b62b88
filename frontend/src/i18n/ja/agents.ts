import type { In } from '../catalogue'
import type { agents as source } from '../en/agents'

/** Japanese: the agents. */
export const agents: In<typeof source> = {
  'agents.title': 'エージェント',
  'agents.lead': '要求してよいプログラムです。エージェントのトークンでできるのは、要求することと自分の呼び出しを見ることだけで、承認は決してできません。',
  'agents.name': '名前',
  'agents.nameHint': '文字、数字、空白、ドット、ハイフン',
  'agents.create': 'エージェントを作成',
  'agents.since': '{time} から',
  'agents.revoke': '失効させる',
  'agents.revokeOne': '{agent} を失効させる',
  'agents.tokenTitle': '{agent} のトークン',
  'agents.tokenText': '今すぐコピーしてください。表示されるのはこの一度だけで、デスクにはハッシュだけが残ります。',
  'agents.token': 'トークン',
  'agents.snippetStdio': 'プログラムを起動する MCP クライアント用（トークンは自分だけが読める {file} に保存してください）',
  'agents.snippetKept': 'プログラムを起動する MCP クライアント用（トークンは {file} に保存されています）',
  'agents.snippetHttp': 'HTTP で話す MCP クライアント用',
  'agents.snippetHttpUnproved':
    'このようなクライアントは、接続先が本物のデスクかどうかを確かめません。Sekisho が動いていない間にそのポートを使ったプログラムへ、トークンが渡ってしまいます。プログラムを起動する上の方法では、先に確かめます。',
  'agents.snippetServer': 'サーバー',
  'agents.revokeTitle': '{agent} を失効させますか？',
  'agents.revokeText': 'トークンはすぐに使えなくなります。これまでの呼び出しは履歴に残ります。',
  'agents.revokeConfirm': 'エージェントを失効させる',
  'agents.emptyTitle': 'エージェントはまだありません',
  'agents.emptyText': 'ツールを呼び出すプログラムごとにエージェントを作成し、そのトークンを渡してください。',
}
