import type { In } from '../catalogue'
import type { shell as source } from '../en/shell'

/** Russian: the way around. */
export const shell: In<typeof source> = {
  'nav.label': 'Основное меню',
  'nav.skip': 'К содержанию',
  'nav.waiting': 'Ожидают',
  'nav.rules': 'Правила',
  'nav.grants': 'Разрешения',
  'nav.activity': 'Журнал',
  'nav.servers': 'Серверы',
  'nav.agents': 'Агенты',
  'nav.settings': 'Настройки',
  'settings.language': 'Язык',
  'settings.theme': 'Оформление',
  'theme.system': 'Как в системе',
  'theme.light': 'Светлое',
  'theme.dark': 'Тёмное',
  'face.window': 'приложение',
  'face.browser': 'браузер',
  'face.fake': 'пример данных',
  'app.unreachable': 'Пост не отвечает. Тем временем ничего не одобряется; страница продолжает попытки.',
  'hold.switch': 'Задерживать всё: без вопроса ничего не разрешать',
  'hold.on': 'Задерживается всё: без вопроса ничего не разрешается.',
  'signIn.title': 'Вход на пост',
  'signIn.none': 'Эта страница — только для оператора поста. На машине, где работает пост, введите эту команду и откройте адрес, который она выведет.',
  'signIn.bad-code': 'Этот адрес для входа уже использован или неполон. Запросите новый.',
  'signIn.ended': 'Пост больше не знает эту вкладку. Запросите новый адрес для входа.',
  'signIn.unreachable': 'Пост не отвечает. Убедитесь, что sekishod запущен, и запросите новый адрес для входа.',
  'signIn.note': 'Адрес действует один раз. Полученный ключ хранится только в этой вкладке и никогда не становится cookie.',
}
