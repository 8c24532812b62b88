import css from './navigation.module.css'

/** The words of a switch in the navigation. Where there is no room for all of them, the short ones are in view; its name stays the same. */
export function SwitchLabel({ whole, short }: { whole: string; short: string }) {
  return (
    <>
      <span className={css.wholeLabel}>{whole}</span>
      <span className={css.shortLabel} aria-hidden="true">
        {short}
      </span>
    </>
  )
}
