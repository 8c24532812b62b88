import type { In } from '../catalogue'
import type { errors as source } from '../en/errors'

/** Russian: errors. */
export const errors: In<typeof source> = {
  'error.unreachable': 'Пост не отвечает. Ничего не изменено.',
  'error.unavailable': 'Пост закрывается или занят. Попробуйте ещё раз.',
  'error.unauthorized': 'Вы вышли.',
  'error.forbidden': 'Здесь это не разрешено.',
  'error.already_decided': 'На этот вызов уже ответили.',
  'error.expired': 'Поздно: время этого вызова вышло. Он не выполнен.',
  'error.cancelled': 'Агент отозвал этот вызов.',
  'error.denied': 'Правило запрещает этот вызов. Он не выполнен.',
  'error.revoked': 'Одобрение этого вызова снято. Он не выполнен.',
  'error.hash_mismatch': 'Входные данные не те, что были показаны. Посмотрите ещё раз.',
  'error.not_armed': 'Посмотрите ещё немного, потом ответьте.',
  'error.stale': 'Пока вы отвечали, вызов изменился. Посмотрите ещё раз.',
  'error.not_found': 'Этого больше нет.',
  'error.lost_update': 'Тем временем это изменил кто-то другой.',
  'error.already_exists': 'Это имя занято.',
  'error.too_large': 'Это больше, чем принимает пост.',
  'error.internal': 'На посту что-то пошло не так. Что именно, сказано в его логе.',
  'error.other': 'Пост сообщает: {message}',
}
