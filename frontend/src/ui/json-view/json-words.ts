/** The words of the view, in the person's language. */
export interface JsonWords {
  label: string
  noParameters: string
  notJson: string
  counting: string
  hidden: (count: number) => string
  foreign: (count: number) => string
  folded: (count: number) => string
  /** Of a text that is folded. */
  long: (characters: number, folded: number) => string
  characters: (count: number) => string
  lines: (count: number) => string
  showAll: string
  unfolding: string
  copy: string
  copied: string
}
