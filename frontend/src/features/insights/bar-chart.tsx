import css from './bar-chart.module.css'

interface Props {
  title: string
  /** One for each bucket; null where there is nothing to say. */
  values: readonly (number | null)[]
  names: readonly string[]
  write: (value: number | null) => string
  /** The number of the whole stretch. */
  whole: number | null
  care?: boolean
}

const width = 300
const height = 72

/** Bars over time. The table beside it says the same in text, so it is hidden from screen readers. */
export function BarChart({ title, values, names, write, whole, care = false }: Props) {
  const most = Math.max(...values.map((value) => value ?? 0), 0)
  const step = width / Math.max(values.length, 1)
  const tall = (value: number) => (most === 0 ? 0 : Math.max((value / most) * height, value > 0 ? 2 : 0))
  return (
    <figure className={css.chart} aria-hidden="true">
      <figcaption className={css.title}>
        {title} <strong className={css.whole}>{write(whole)}</strong>
      </figcaption>
      <svg className={css.bars} viewBox={`0 0 ${String(width)} ${String(height)}`} preserveAspectRatio="none" data-care={care}>
        <line className={css.ground} x1={0} x2={width} y1={height} y2={height} />
        {values.map((value, i) => (
          <rect key={i} x={i * step + step * 0.12} width={step * 0.76} y={height - tall(value ?? 0)} height={tall(value ?? 0)}>
            <title>{`${names[i] ?? ''}: ${write(value)}`}</title>
          </rect>
        ))}
      </svg>
      <div className={css.ends}>
        <span>{names[0]}</span>
        <span>{names.at(-1)}</span>
      </div>
    </figure>
  )
}
