import type { In } from '../catalogue'
import type { welcome as source } from '../en/welcome'

/** Russian: the first start. */
export const welcome: In<typeof source> = {
  'welcome.title': 'Добро пожаловать на заставу',
  'welcome.lead': 'Вызовы инструментов останавливаются здесь. Правила пропускают то, чему вы доверяете; остальное ждёт вас.',
  'welcome.servers': 'Поставьте сервер инструментов за пост',
  'welcome.serversText': 'Пост запускает его сам; агенты попадают к нему только отсюда.',
  'welcome.agents': 'Дайте агенту токен',
  'welcome.agentsText': 'Вставьте показанный фрагмент в настройки агента. С ним агент может спрашивать, но не одобрять.',
  'welcome.rules': 'Скажите, о чём не спрашивать',
  'welcome.rulesText': 'Начните с пяти примеров или создайте правило из первого остановленного вызова.',
  'welcome.done': 'готово',
  'welcome.demo': 'Отправить пробный вызов',
  'welcome.demoText': 'Он просит лишь приветствие и ничего не трогает. Одобрите или отклоните и посмотрите, что будет.',
}
