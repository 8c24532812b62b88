import type { In } from '../catalogue'
import type { input as source } from '../en/input'

/** Russian: the view of an input. */
export const input: In<typeof source> = {
  'input.label': 'Входные данные вызова',
  'envelope.label': 'Сопровождение вызова',
  'envelope.heading': 'Помимо входных данных',
  'envelope.about': 'от агента, не проверено; сервер тоже это получает',
  'envelope.folded': 'Клиент о себе: {names}',
  'input.noParameters': 'Без параметров.',
  'input.notJson': 'Это не JSON. Показано точно так, как пришло.',
  'input.hidden': { one: '{count} скрытый символ, отмечен ниже', few: '{count} скрытых символа, отмечены ниже', many: '{count} скрытых символов, отмечены ниже', other: '{count} скрытого символа, отмечены ниже' },
  'input.folded': { one: 'Здесь свёрнут {count} символ', few: 'Здесь свёрнуто {count} символа', many: 'Здесь свёрнуто {count} символов', other: 'Здесь свёрнуто {count} символа' },
  'input.long': { one: '{count} символ, из них свёрнуто в середине: {folded}', few: '{count} символа, из них свёрнуто в середине: {folded}', many: '{count} символов, из них свёрнуто в середине: {folded}', other: '{count} символа, из них свёрнуто в середине: {folded}' },
  'input.size': { one: '{count} символ', few: '{count} символа', many: '{count} символов', other: '{count} символа' },
  'input.showAll': 'Показать всё',
  'input.copy': 'Копировать как есть',
  'input.counting': 'Считаем скрытые символы…',
  'input.foreign': { one: '{count} буква похожа на другую, отмечена ниже', few: '{count} буквы похожи на другие, отмечены ниже', many: '{count} букв похожи на другие, отмечены ниже', other: '{count} буквы похожи на другие, отмечены ниже' },
  'input.lines': { one: '{count} строка', few: '{count} строки', many: '{count} строк', other: '{count} строки' },
  'input.unfolding': 'Раскрываем…',
}
