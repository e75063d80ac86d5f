import { largest, shareOf } from '#web/components/charts/scale.ts'
import type { Trend } from './trend.ts'

/** The days as a line above that of the days before, dashed. The note says the same; a narrow widget has no room for it. */
export function Sparkline(props: { trend: Trend | null | undefined }) {
  const { days, before } = props.trend ?? { days: [], before: [] }
  const top = largest([...days, ...before])
  const lineOf = (amounts: bigint[]) =>
    amounts.map((amount, i) => `${i},${99 - (shareOf(amount, top) * 98) / 100}`).join(' ')
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${Math.max(1, days.length - 1)} 100`}
      preserveAspectRatio="none"
      className="mb-1 block h-6 w-full @max-3xs:hidden"
      fill="none"
    >
      {top > 0n && (
        <>
          <polyline
            points={lineOf(before)}
            stroke="var(--muted)"
            strokeDasharray="3 3"
            vectorEffect="non-scaling-stroke"
          />
          <polyline points={lineOf(days)} stroke="var(--green)" strokeWidth={1.5} vectorEffect="non-scaling-stroke" />
        </>
      )}
    </svg>
  )
}
