import type { ReactNode } from 'react'
import { Mark } from '#web/components/Mark.tsx'
import { appName } from '#web/lib/app.ts'
import { formatAmount } from '#web/lib/decimals.ts'
import { formatMoment } from '#web/lib/moment.ts'
import { type Chain, networkPhrase, unitOf } from '#web/lib/networks.ts'
import type { ClaimPayout } from '#web/queries/claim.ts'

/** The card in the middle of the claim screen. `chain` is missing if there is no payout. */
export function Frame(props: { chain?: Chain | undefined; children: ReactNode }) {
  return (
    <div className="flex min-h-dvh flex-col items-center justify-center px-4 py-10">
      <main className="w-full max-w-[440px] rounded-card border border-hairline bg-card p-6 sm:p-8">
        {props.children}
      </main>
      <footer className="mt-6 max-w-[440px] text-center text-muted text-small">
        <p className="flex items-center justify-center gap-2">
          <Mark className="size-4" />
          Sent with {appName}. {unitOf(props.chain ?? 'base')} on {networkPhrase(props.chain ?? 'base')}.
        </p>
        <details>
          <summary className="rounded-sm py-1 text-green">What is {appName}?</summary>
          {appName} delivers money for the sender, who chose the amount. Ask them if anything is unclear. Nobody needs
          your recovery phrase or a password to pay you.
        </details>
      </footer>
    </div>
  )
}

/** The heading of a step. With `focused` it takes the focus, so that a new step is announced and Tab continues from it. */
export const Heading = (props: { children: ReactNode; focused?: boolean }) => (
  <h1 ref={props.focused ? focus : null} tabIndex={-1} className="font-semibold text-title outline-none">
    {props.children}
  </h1>
)

const focus = (element: HTMLElement | null) => element?.focus()

/** The payout: sender, amount, memo and deadline. */
export function Summary(props: { payout: ClaimPayout; amount?: string }) {
  const { payout } = props
  return (
    <div className="text-center">
      <p className="text-muted">{payout.senderName ? `${payout.senderName} sent you` : 'You were sent'}</p>
      <p className="font-semibold text-figure" data-testid="claim-amount">
        {formatAmount(props.amount ?? payout.amount)}{' '}
        <span className="font-normal text-muted text-title">{unitOf(payout.chain)}</span>
      </p>
      <p className="mt-1">
        {payout.chain === 'base'
          ? 'USDC is a digital dollar, worth about 1\u00a0US dollar.'
          : 'Test money on Base Sepolia: it has no value.'}
      </p>
      {payout.memo && <p className="mt-1 break-words italic">“{payout.memo}”</p>}
      <p className="mt-2 text-muted text-small">
        Claim before{' '}
        <time dateTime={payout.expiresAt} className="inline-block">
          {formatMoment(payout.expiresAt)}
        </time>
      </p>
    </div>
  )
}
