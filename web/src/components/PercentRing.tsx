import { clsx } from 'clsx'
import { levelOf } from '#domain/statistics.ts'

const colours = { safe: 'text-green', warning: 'text-amber', danger: 'text-red' }
const circumference = 2 * Math.PI * 42

/** A ring that shows how much of a limit is used, with the percentage inside. Green, amber or red by level. */
export function PercentRing(props: { percent: number; className?: string }) {
  const { percent } = props
  return (
    <svg
      viewBox="0 0 100 100"
      role="img"
      aria-label={`${percent}% used`}
      className={clsx('shrink-0', colours[levelOf(percent)], props.className ?? 'size-12')}
    >
      <circle cx="50" cy="50" r="42" fill="none" strokeWidth="10" className="stroke-sunken" />
      {percent > 0 && (
        <circle
          cx="50"
          cy="50"
          r="42"
          fill="none"
          stroke="currentColor"
          strokeWidth="10"
          strokeDasharray={`${(circumference * Math.min(100, percent)) / 100} ${circumference}`}
          transform="rotate(-90 50 50)"
        />
      )}
      <text x="50" y="50" textAnchor="middle" dominantBaseline="central" className="fill-ink font-semibold text-[24px]">
        {percent}%
      </text>
    </svg>
  )
}
