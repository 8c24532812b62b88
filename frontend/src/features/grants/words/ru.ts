import type { In } from '../../../i18n/catalogue'
import type { words as source } from './en'

/** Russian: the live grants. */
export const words: In<typeof source> = {
  'grants.lead': 'Ваши прежние ответы, которые ещё действуют. Каждый кончается вместе с сеансом или по времени.',
  'grants.list': 'Действующие разрешения',
  'grants.hold': 'Задерживать всё',
  'grants.release': 'Больше не задерживать',
  'grants.emptyTitle': 'Разрешений нет',
  'grants.emptyText': 'Если вы ответили сразу за вид вызовов или за весь сеанс, ответ стоит здесь, пока не кончится.',
  'grants.session': 'сеанс {session}',
  'grants.upTo.low': 'до низкого риска',
  'grants.upTo.medium': 'до среднего риска',
  'grants.upTo.high': 'до высокого риска',
  'grants.hits': { one: 'применено {count} раз', few: 'применено {count} раза', many: 'применено {count} раз', other: 'применено {count} раза' },
  'grants.withSession': 'до конца сеанса',
  'grants.left': 'осталось {time}',
  'grants.end': 'Прекратить',
  'grants.keep': 'Сохранить как правило',
  'grants.rules': { one: 'Ещё {count} правило разрешает без вопроса', few: 'Ещё {count} правила разрешают без вопроса', many: 'Ещё {count} правил разрешают без вопроса', other: 'Ещё {count} правила разрешают без вопроса' },
}
