import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { toast } from 'react-hot-toast/headless'
import { ShortAddress } from '#web/components/Address.tsx'
import { Button } from '#web/components/Button.tsx'
import { Card } from '#web/components/Card.tsx'
import { ConfirmDialog } from '#web/components/ConfirmDialog.tsx'
import { ErrorState, SkeletonRows } from '#web/components/states.tsx'
import { formatAmount, formatMoment } from '#web/lib/format.ts'
import { endGrant, type Grant, grantsQuery } from '#web/queries/approvals.ts'

/** Lists active grants (payments allowed without asking), each with a button to end it. */
export function GrantsCard() {
  const { data, error, refetch } = useQuery(grantsQuery)
  const [ending, setEnding] = useState<Grant | null>(null)
  return (
    <Card aria-labelledby="grants" className="p-5">
      <h2 id="grants" className="mb-1 font-semibold">
        Always allowed
      </h2>
      <p className="text-muted">Payments that do not need your approval. Every other rule still applies to them.</p>
      {data ? (
        <ul aria-label="Always allowed" className="mt-2 divide-y divide-hairline">
          {data.map((grant) => (
            <li key={grant.id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3">
              <div className="min-w-0">
                <p className="wrap-anywhere font-medium">
                  {grant.agent.name} to {grant.contact?.name ?? 'an address'}
                </p>
                <ShortAddress address={grant.address} />
                <p className="text-muted text-small">
                  {formatAmount(grant.remaining)} of {formatAmount(grant.limit)} USDC left, until{' '}
                  {formatMoment(grant.endsAt)}
                </p>
              </div>
              <Button
                look="secondary"
                aria-label={`End: ${grant.agent.name} to ${grant.contact?.name ?? grant.address}`}
                onClick={() => setEnding(grant)}
              >
                End
              </Button>
            </li>
          ))}
          {data.length === 0 && (
            <li className="py-2 text-muted">None. You can allow some when you approve a payment.</li>
          )}
        </ul>
      ) : error ? (
        <ErrorState error={error} onRetry={() => refetch()} />
      ) : (
        <SkeletonRows rows={2} />
      )}
      {ending && (
        <ConfirmDialog
          title="Ask about these payments again?"
          confirm={['End', 'Ending...']}
          act={() => endGrant(ending.id)}
          fallback="This could not be ended. Please try again."
          onClose={() => setEnding(null)}
          onDone={() => {
            setEnding(null)
            toast.success('You are asked again from now on.')
          }}
        >
          <p>
            Past payments are not affected. From the agent’s next call on, the rules of {ending.policyGroup.name} decide
            whether you are asked.
          </p>
        </ConfirmDialog>
      )}
    </Card>
  )
}
