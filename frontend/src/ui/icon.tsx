import css from './icon.module.css'

const paths = {
  allow: 'M3.5 8.5l3 3 6-7',
  ask: 'M5.6 6a2.4 2.4 0 1 1 3.5 2.1C8.3 8.5 8 9 8 9.8M8 12.4v.1',
  deny: 'M4 4l8 8M12 4l-8 8',
  low: 'M8 3v10M4.5 9.5L8 13l3.5-3.5',
  medium: 'M8 2.5L14 13H2zM8 6.5v3M8 11.4v.1',
  high: 'M5.5 2h5L14 5.5v5L10.5 14h-5L2 10.5v-5zM8 5v3.6M8 11v.1',
  server: 'M2.5 3.5h11v4h-11zM2.5 8.5h11v4h-11zM5 5.5h.1M5 10.5h.1',
  tool: 'M10.5 2.6a3.2 3.2 0 0 0-3 4.3L2.6 11.8l1.6 1.6 4.9-4.9a3.2 3.2 0 0 0 4.3-3.9L11.3 6.5 9.5 4.7z',
  pattern: 'M8 3.5v9M4.1 5.8l7.8 4.5M11.9 5.8L4.1 10.3',
  priority: 'M4 13V7M8 13V3M12 13V9.5',
  any: 'M8 2.2a5.8 5.8 0 1 0 0 11.6a5.8 5.8 0 1 0 0-11.6M2.4 8h11.2',
  off: 'M8 2.2v5M4.6 4.3a5.3 5.3 0 1 0 6.8 0',
  clock: 'M8 2.2a5.8 5.8 0 1 0 0 11.6a5.8 5.8 0 1 0 0-11.6M8 4.8V8l2.2 1.6',
  warning: 'M8 2.5L14 13H2zM8 6.5v3M8 11.4v.1',
  agent: 'M4 5.5h8v7H4zM8 5.5V3M6.3 8.5v1M9.7 8.5v1M2.2 8v2.5M13.8 8v2.5',
  plus: 'M8 3v10M3 8h10',
  edit: 'M3 13l.7-2.9 7.1-7.1 2.2 2.2-7.1 7.1zM9.5 4.3l2.2 2.2',
  grip: 'M6 4h.01M10 4h.01M6 8h.01M10 8h.01M6 12h.01M10 12h.01',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9M10.3 10.3L14 14',
  try: 'M6.2 2.5h3.6M7 2.5v4L3.4 13h9.2L9 6.5v-4M5.2 9.8h5.6',
  import: 'M8 2.5v7M5 6.8L8 9.8l3-3M2.8 11v2.5h10.4V11',
  export: 'M8 9.8V2.5M5 5.5l3-3 3 3M2.8 11v2.5h10.4V11',
  idea: 'M6.3 11.2c0-1.5-2-2.2-2-4.6a3.7 3.7 0 0 1 7.4 0c0 2.4-2 3.1-2 4.6zM6.6 13.5h2.8',
  trash: 'M3 4.5h10M6.5 4.5V3h3v1.5M4.3 4.5l.6 8.5h6.2l.6-8.5',
  list: 'M6 4.5h7.5M6 8h7.5M6 11.5h7.5M2.8 4.5h.1M2.8 8h.1M2.8 11.5h.1',
} as const

export type IconName = keyof typeof paths

/** A line drawing beside a word, never instead of one. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className={css.icon} viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
