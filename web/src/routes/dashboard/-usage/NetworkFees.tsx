import { Card, Fact } from '#web/components/Card.tsx'
import { formatMoment, plural } from '#web/lib/format.ts'
import type { Usage } from '#web/queries/usage.ts'

/** How much of today's allowance for network fees is left, as a number of payments. */
export function NetworkFees(props: { gas: Usage['gasAllowance'] }) {
  const { limit, used, payments, resetsAt } = props.gas
  const percent = limit === 0 ? 100 : Math.min(100, Math.floor((used / limit) * 100))
  return (
    <Card aria-labelledby="network-fees" className="p-5">
      <h2 id="network-fees" className="font-semibold">
        Network Fees
      </h2>
      <p className="text-muted text-small">Bursar pays the network fees of your payments, up to a daily allowance.</p>
      <dl className="mt-4 divide-y divide-hairline">
        <Fact name="Used today">{percent}%</Fact>
        <Fact name="Left today">About {plural(payments, 'payment')}</Fact>
        <Fact name="Resets">{formatMoment(resetsAt)}</Fact>
      </dl>
    </Card>
  )
}
