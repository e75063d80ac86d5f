import { canLeaveAfterRotation } from '../../../../../../worker/domain/exposure.ts'
import { formatUsdc, type MicroUsdc, parseUsdc } from '../../../../../../worker/domain/money.ts'
import { formatAmount } from '../../../../lib/format.ts'
import type { SessionKeyInfo, Wallet } from '../../../../queries/wallets.ts'
import { dailyText } from '../daily.ts'

/** The worst case in a sentence: what a stolen session key could move now, and after a planned change of its limit. */
export function Exposure(props: { wallet: Wallet; info: SessionKeyInfo; nextLimit?: MicroUsdc | null }) {
  const { wallet, info, nextLimit } = props
  const balance = wallet.usdcBalance && parseUsdc(wallet.usdcBalance.balance)
  const next = nextLimit ? formatUsdc(balance !== null ? canLeaveAfterRotation(balance, nextLimit) : nextLimit) : null
  return (
    <div data-testid="exposure" className="rounded-control bg-sunken px-4 py-3">
      <p>
        Most that can leave without you{next === null ? '' : ' now'}: <Sum value={wallet.exposure?.canLeave ?? null} />
      </p>
      {next !== null && (
        <p>
          After this: <Sum value={next} />
        </p>
      )}
      <p className="mt-1 text-muted text-small">
        This is what the session key may still pay; everything else moves only with your owner key.{' '}
        {info.canRotate
          ? `While our rotation authority is on, we can renew it by up to ${dailyText} USDC a day, for at most 90 days at a time.`
          : info.rotationDisabled
            ? 'Our rotation authority is off: only you can renew or raise it.'
            : 'Only you can set the next session key.'}
      </p>
    </div>
  )
}

const Sum = (props: { value: string | null }) => (
  <strong className="whitespace-nowrap font-semibold">
    {props.value === null ? 'Unavailable' : `$${formatAmount(props.value)} USDC`}
  </strong>
)
