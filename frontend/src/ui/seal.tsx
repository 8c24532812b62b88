import css from './seal.module.css'

/** The seal of the house: a gate, the checkpoint. Decoration only. */
export function Seal({ size = 'small' }: { size?: 'small' | 'large' }) {
  return (
    <svg className={`${css.seal ?? ''} ${css[size] ?? ''}`} viewBox="0 0 32 32" aria-hidden="true">
      <rect className={css.ground} x="1" y="1" width="30" height="30" rx="6" />
      <path className={css.gate} d="M6.5 9.5h19M9 14.5h14M10.5 9.5v14.5M21.5 9.5v14.5M16 9.5v5" />
    </svg>
  )
}
