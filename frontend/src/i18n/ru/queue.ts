import type { In } from '../catalogue'
import type { queue as source } from '../en/queue'

/** Russian: what waits. */
export const queue: In<typeof source> = {
  'waiting.title': 'Ожидают решения',
  'waiting.lead': 'Вызовы, которые не разрешает ни одно правило, стоят здесь, пока вы не ответите.',
  'waiting.bar': { one: '{count} вызов ждёт вашего решения', few: '{count} вызова ждут вашего решения', many: '{count} вызовов ждут вашего решения', other: '{count} вызова ждут вашего решения' },
  'waiting.tab': { one: '({count}) Sekisho', few: '({count}) Sekisho', many: '({count}) Sekisho', other: '({count}) Sekisho' },
  'waiting.review': 'Рассмотреть',
  'waiting.reviewOne': 'Рассмотреть {tool}',
  'waiting.since': 'с {time}',
  'waiting.from': '{agent} → {server}',
  'waiting.fromItself': '{agent}, собственный инструмент',
  'waiting.emptyTitle': 'Никто не ждёт',
  'waiting.emptyText': 'Когда агент вызывает инструмент, который не разрешает ни одно правило, вызов останавливается здесь. Он выполнится, только если вы его одобрите.',
}
