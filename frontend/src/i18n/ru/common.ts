import type { In } from '../catalogue'
import type { common as source } from '../en/common'

/** Russian: words of every screen. */
export const common: In<typeof source> = {
  'common.cancel': 'Отмена',
  'common.save': 'Сохранить',
  'common.edit': 'Изменить',
  'common.delete': 'Удалить',
  'common.copy': 'Копировать',
  'common.copied': 'Скопировано',
  'common.loading': 'Загрузка…',
  'common.retry': 'Повторить',
  'common.close': 'Закрыть',
  'effect.allow': 'Разрешить',
  'effect.ask': 'Спросить',
  'effect.deny': 'Запретить',
  'risk.low': 'Низкий риск',
  'risk.medium': 'Средний риск',
  'risk.high': 'Высокий риск',
  'method.read': 'Чтение ресурса',
  'method.subscribe': 'Подписка на ресурс',
  'method.prompt': 'Получение промпта',
  'method.tool': 'Вызов инструмента',
}
