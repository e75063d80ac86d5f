import { canLeaveAfterRotation, providerDaily } from '#domain/exposure.ts'
import { formatUsdc, type MicroUsdc, parseUsdc } from '#domain/money.ts'
import { maxHours } from '#domain/sessionKey.ts'
import { dollars } from '#web/lib/amounts.ts'
import { formatAmount } from '#web/lib/format.ts'
import { unitOf } from '#web/lib/networks.ts'
import type { SessionKeyInfo, Wallet } from '#web/queries/wallets.ts'

/** Shows the worst case: what a stolen session key could move now, and after a planned change of its limit. */
export function Exposure(props: { wallet: Wallet; info: SessionKeyInfo; nextLimit?: MicroUsdc | null }) {
  const { wallet, info, nextLimit } = props
  const unit = unitOf(wallet.chain)
  const balance = wallet.usdcBalance && parseUsdc(wallet.usdcBalance.balance)
  const next = nextLimit ? formatUsdc(balance !== null ? canLeaveAfterRotation(balance, nextLimit) : nextLimit) : null
  return (
    <div data-testid="exposure" className="rounded-control bg-sunken px-4 py-3">
      <p>
        {`Most that can leave without you${next === null ? '' : ' now'}:`}{' '}
        <Sum value={wallet.exposure?.canLeave ?? null} unit={unit} />
      </p>
      {next !== null && (
        <p>
          After this: <Sum value={next} unit={unit} />
        </p>
      )}
      <p className="mt-1 text-muted text-small">
        This is what the session key may still pay; everything else moves only with your owner key.{' '}
        {info.canRotate
          ? `While our rotation authority is on, we can renew it by up to ${dollars(providerDaily)} ${unit} a day, for at most ${maxHours / 24} days at a time.`
          : info.rotationDisabled
            ? 'Our rotation authority is off: only you can renew or raise it.'
            : 'Only you can set the next session key.'}
      </p>
    </div>
  )
}

const Sum = (props: { value: string | null; unit: string }) => (
  <strong className="whitespace-nowrap font-semibold">
    {props.value === null ? 'Unavailable' : `$${formatAmount(props.value)} ${props.unit}`}
  </strong>
)
