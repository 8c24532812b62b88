import { hiddenSource } from '../../../ui/hidden-characters'
import { layoutJson } from '../../../ui/json-view/layout-json'

const hidden = new RegExp(String.raw`(?!\n)${hiddenSource}`, 'gu')

/** Inputs over this length are not edited in a text field. */
export const editableLength = 200_000

/**
 * JSON text as it is edited: laid out, every token as it was sent, but hidden
 * characters as the escapes that mean the same, since a text field cannot mark them.
 */
export function editableText(raw: string): string {
  const { head } = layoutJson(raw, true)
  return head.map((piece) => piece.text).join('').replace(hidden, escaped)
}

/** Whether that spells some characters in another way than the sender did. */
export function spellsHidden(raw: string): boolean {
  return editableText(raw).length !== layoutJson(raw, true).head.reduce((n, piece) => n + piece.text.length, 0)
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, i) => '\\u' + character.charCodeAt(i).toString(16).padStart(4, '0')).join('')
}
