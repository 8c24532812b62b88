import type { In } from '../catalogue'
import type { agents as source } from '../en/agents'

/** Russian: the agents. */
export const agents: In<typeof source> = {
  'agents.title': 'Агенты',
  'agents.lead': 'Программы, которым можно просить. Токен агента позволяет просить и видеть свои вызовы; одобрять он не может никогда.',
  'agents.name': 'Имя',
  'agents.nameHint': 'Буквы, цифры, пробелы, точки, дефисы',
  'agents.create': 'Создать агента',
  'agents.since': 'с {time}',
  'agents.revoke': 'Отозвать',
  'agents.revokeOne': 'Отозвать {agent}',
  'agents.tokenTitle': 'Токен агента {agent}',
  'agents.tokenText': 'Скопируйте его сейчас. Он показан один раз; пост хранит только его хеш.',
  'agents.token': 'Токен',
  'agents.snippetStdio': 'Для клиента MCP, который запускает программу (положите токен в {file}, доступный только вам)',
  'agents.snippetKept': 'Для клиента MCP, который запускает программу (токен хранится в {file})',
  'agents.snippetHttp': 'Для клиента MCP, который говорит по HTTP',
  'agents.snippetHttpUnproved':
    'Такой клиент не проверяет, что отвечает именно Sekisho: пока Sekisho не запущен, программа, занявшая его порт, получит токен. Способ выше, с запуском программы, сначала проверяет.',
  'agents.snippetServer': 'Сервер',
  'agents.revokeTitle': 'Отозвать {agent}?',
  'agents.revokeText': 'Его токен сразу перестанет действовать. Его вызовы останутся в журнале.',
  'agents.revokeConfirm': 'Отозвать агента',
  'agents.emptyTitle': 'Агентов пока нет',
  'agents.emptyText': 'Создайте агента для каждой программы, которая вызывает инструменты, и передайте ей токен.',
}
