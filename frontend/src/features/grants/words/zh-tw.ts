import type { In } from '../../../i18n/catalogue'
import type { words as source } from './en'

/** Traditional Chinese: the live grants. */
export const words: In<typeof source> = {
  'grants.lead': '您先前的答覆中，目前仍代您作答的項目。各項在工作階段結束或期限到時終止。',
  'grants.list': '目前的授權',
  'grants.hold': '全部攔下',
  'grants.release': '停止攔下',
  'grants.emptyTitle': '沒有授權',
  'grants.emptyText': '當您針對某類呼叫或整個工作階段作答時，該答覆會列在這裡，直到結束。',
  'grants.session': '工作階段 {session}',
  'grants.upTo.low': '最高至低風險',
  'grants.upTo.medium': '最高至中風險',
  'grants.upTo.high': '最高至高風險',
  'grants.hits': { other: '已使用 {count} 次' },
  'grants.withSession': '至工作階段結束',
  'grants.left': '剩餘 {time}',
  'grants.end': '終止',
  'grants.keep': '保留為規則',
  'grants.rules': { other: '另有 {count} 條規則直接放行，不會詢問' },
}
