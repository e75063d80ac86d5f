/** In percent. An outline that is narrower would be two dots. */
const leastOutline = 1

/** Two sums on one scale: a filled bar, and a dashed outline for the period before. The text beside it has both. */
export function SumBar(props: { sum: bigint; earlier: bigint; top: bigint }) {
  const { sum, earlier, top } = props
  const share = (amount: bigint) => (top === 0n ? 0 : Number((amount * 1000n) / top) / 10)
  return (
    <span aria-hidden="true" className="relative mt-1.5 block h-2.5">
      {sum > 0n && (
        <span
          data-testid="bar"
          className="absolute inset-y-0 left-0 min-w-0.5 rounded-r-[2px] bg-green"
          style={{ width: `${share(sum)}%` }}
        />
      )}
      {share(earlier) >= leastOutline && (
        <span
          className="absolute inset-y-0 left-0 rounded-r-[2px] border border-muted border-dashed"
          style={{ width: `${share(earlier)}%` }}
        />
      )}
    </span>
  )
}
