import type { In } from '../../../i18n/catalogue'
import type { words as source } from './en'

/** Russian: what is not as the journal says that it was left. */
export const words: In<typeof source> = {
  'differences.title': 'Не так, как было оставлено',
  'differences.lead':
    'Эти записи расходятся с журналом: на диске изменился бит или данные переписала другая программа. Пока вы не выберете версию каждой из них, пост спрашивает обо всём, а названные здесь серверы не запускаются.',
  'differences.rules': 'Правило {name}',
  'differences.grants': 'Разрешение {name}',
  'differences.settings': 'Настройки',
  'differences.servers': 'Сервер {name}',
  'differences.agents': 'Агент {name}. Журнал не хранит его токен: если токен другой, версия журнала удаляет агента.',
  'differences.tools': 'Что известно об инструменте {name}',
  'differences.journal': 'Повреждён сам журнал или он не подписан своим ключом, запись {name}: сверить с ним нечего. Просмотрите правила, серверы, агентов и настройки и оставьте их, если всё верно.',
  'differences.journalName': 'Имя журнала утеряно или не то, под которым он был подписан. Сначала просмотрите остальные различия; затем журнал получит прежнее имя или новое.',
  'differences.column': 'Что',
  'differences.journalSays': 'По журналу',
  'differences.tableSays': 'Как есть',
  'differences.none': 'нет',
  'differences.takeJournal': 'Восстановить по журналу',
  'differences.remove': 'Удалить, как в журнале',
  'differences.takeTable': 'Оставить как есть',
  'differences.leaveOut': 'Оставить без неё',
  'differences.allJournal': 'Восстановить все записи по журналу',
  'differences.allTable': 'Оставить все записи как есть',
}
