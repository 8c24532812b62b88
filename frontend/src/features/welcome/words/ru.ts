import type { In } from '../../../i18n/catalogue'
import type { words as source } from './en'

/** Russian: the first start. */
export const words: In<typeof source> = {
  'welcome.title': 'Добро пожаловать на заставу',
  'welcome.lead': 'Вызовы инструментов останавливаются здесь. Правила пропускают то, чему вы доверяете; остальное ждёт вас.',
  'welcome.byHand': 'Другая программа? Поставьте её сервер инструментов за пост на экране «{servers}» и дайте ей токен на экране «{agents}»: с ним она может спрашивать, но не одобрять.',
  'welcome.servers': 'Серверы',
  'welcome.agents': 'Агенты',
  'welcome.rules': 'Правила',
  'welcome.firstTitle': 'На первый вызов дан ответ',
  'welcome.firstRule': 'Возможно, это ваше первое правило. С ним такие вызовы, как у {agent}, проходят без вопроса:',
  'welcome.allow': 'Разрешить: {what}',
  'welcome.makeRule': 'Создать правило',
  'welcome.leaveRule': 'Не нужно',
  'welcome.ruleNone': 'Для этого вызова правило не предлагается. Вызовы ждут вас, пока правило не скажет иного.',
  'welcome.ruleMade': 'Правило создано: такие вызовы теперь проходят без вопроса. Оно на экране «{rules}».',
  'welcome.demo': 'Отправить пробный вызов',
  'welcome.demoText': 'Он просит лишь приветствие и ничего не трогает. Одобрите или отклоните и посмотрите, что будет.',
}
