import type { UseQueryResult } from '@tanstack/react-query'
import { saturatingSub } from '#domain/money.ts'
import { sendLimitOf } from '#domain/sessionKey.ts'
import { percentUsed } from '#domain/statistics.ts'
import { hourMs } from '#domain/time.ts'
import { budgetLevel } from '#web/components/BudgetRing.tsx'
import { Button } from '#web/components/Button.tsx'
import { Chip } from '#web/components/Chip.tsx'
import { May } from '#web/components/May.tsx'
import { useNow } from '#web/components/Time.tsx'
import { dollars } from '#web/lib/amounts.ts'
import { formatDate, formatMoment } from '#web/lib/format.ts'
import type { Tone } from '#web/lib/tone.ts'
import type { SessionKeyInfo } from '#web/queries/wallets.ts'

/** Expired, Inactive, 'Nh left' in the last 24 hours, or Active; Unknown if it can't be loaded. */
export function SessionKeyChip(props: { query: UseQueryResult<SessionKeyInfo> }) {
  const now = useNow()
  const { data, isError } = props.query
  if (isError && !data)
    return (
      <Chip tone="neutral" title="Couldn’t load the session key">
        Unknown
      </Chip>
    )
  if (!data) return null
  const leftMs = data.validUntil * 1000 - now
  if (!data.isActive && !data.isExpired && leftMs > 0) return <Chip tone="neutral">Inactive</Chip>
  const [tone, text] = lifeOf(data.isExpired ? 0 : leftMs)
  return (
    <Chip tone={tone} title={`Session key valid until ${formatMoment(data.validUntil * 1000)}`}>
      {text}
    </Chip>
  )
}

function lifeOf(leftMs: number): [Tone, string] {
  if (leftMs <= 0) return ['bad', 'Expired']
  return leftMs <= 24 * hourMs ? ['waiting', `${Math.ceil(leftMs / hourMs)}h left`] : ['good', 'Active']
}

/** What gives the wallet its next session key. */
export const renewalLabel = ({ canRotate }: SessionKeyInfo) =>
  canRotate ? 'Rotate session key' : 'Renew with owner key'

/**
 * Shows how much of the session key's limit is left for sends, and until when it is valid; for a key that is not valid, what that
 * means and how to get the next one.
 */
export function SessionKeyBar(props: { info: SessionKeyInfo; onRenew: () => void }) {
  const { info } = props
  if (!info.isActive)
    return (
      <div className="mt-4 space-y-2 text-small">
        {info.isExpired ? (
          <p className="text-red">Rotate to enable transactions again</p>
        ) : (
          <p className="text-amber">
            {info.sessionRevoked ? 'You ended the session key.' : 'The session key is not valid.'} Nothing is paid from
            this wallet until it has another one.
          </p>
        )}
        <May call="wallets.rotateSessionKey">
          <Button className="w-full" onClick={props.onRenew}>
            {renewalLabel(info)}
          </Button>
        </May>
      </div>
    )
  const limit = sendLimitOf(BigInt(info.spendingLimit), info.purchaseAllowance)
  const used = BigInt(info.spentAmount) + BigInt(info.heldAmount)
  const percent = Math.min(100, percentUsed(used, limit))
  return (
    <div className="mt-4 text-small">
      <div className="flex flex-wrap justify-between gap-x-3 text-muted">
        <span>{info.purchaseAllowance > 0 ? 'Session limit for sends' : 'Session limit'}</span>
        <span>
          {dollars(saturatingSub(limit, used))} of {dollars(limit)} left until {formatDate(info.validUntil * 1000)}
        </span>
      </div>
      {/* The text above has the same figures. */}
      <div aria-hidden="true" className="mt-1.5 h-1.5 overflow-hidden rounded-full bg-sunken">
        <div
          className={`h-full rounded-full bg-current ${budgetLevel(percent).color}`}
          style={{ width: `${percent}%` }}
        />
      </div>
    </div>
  )
}
