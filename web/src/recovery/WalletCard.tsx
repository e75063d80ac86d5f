/** @jsxImportSource preact */
import { disableRotation, reclaimPayout, revokeSession } from '#chain/ownerCalls.ts'
import { checksumAddress } from '#domain/validators.ts'
import { Facts } from './Facts.tsx'
import { etherText, momentText, usdcText } from './text.ts'
import { WithdrawForm } from './WithdrawForm.tsx'
import type { OnSend, OpenPayout, WalletState } from './wallet.ts'

export type FoundWallet = {
  state: WalletState
  isOwner: boolean
  /** Empty unless `isOwner`. */
  payouts: OpenPayout[]
}
/** A wallet's state and its owner's actions. */
export function WalletCard(props: { wallet: FoundWallet; disabled: boolean; onSend: OnSend }) {
  const { state, isOwner, payouts } = props.wallet
  const total = payouts.reduce((sum, { held }) => sum + held, 0n)
  return (
    <section class="card" aria-label={`Wallet ${state.address}`}>
      <h2>Wallet</h2>
      <Facts
        rows={[
          ['Address', checksumAddress(state.address)],
          ['Balance', [usdcText(state.usdc), state.ether > 0n && etherText(state.ether)].filter(Boolean).join(' and ')],
          ['Session key', sessionText(state)],
          ['Rotation by the provider', state.rotationDisabled ? 'permanently switched off' : 'allowed'],
          ['In unclaimed payouts', payouts.length === 0 ? 'nothing found' : `${usdcText(total)} in ${payouts.length}`],
        ]}
      />
      {isOwner ? (
        <>
          {payouts.length > 0 && <Payouts {...props} payouts={payouts} now={state.now} />}
          <Authority {...props} state={state} />
          <WithdrawForm wallet={state} disabled={props.disabled} onSend={props.onSend} />
        </>
      ) : (
        <p class="warn">
          The owner of this wallet is {checksumAddress(state.owner)}. Your key can’t move anything here.
        </p>
      )}
    </section>
  )
}

function sessionText(state: WalletState): string {
  if (state.sessionRevoked) return 'revoked'
  if (state.validUntil < state.now) return `expired ${momentText(state.validUntil)}`
  return `may send ${usdcText(state.remaining)} until ${momentText(state.validUntil)}`
}

function Payouts(props: { payouts: OpenPayout[]; now: number; disabled: boolean; onSend: OnSend }) {
  const { payouts, now, disabled } = props
  const expired = payouts.filter(({ terms }) => terms.expiry <= now)
  const reclaim = (chosen: OpenPayout[]) => () =>
    props.onSend(
      chosen.length === 1 ? 'reclaim a payout' : 'reclaim payouts',
      chosen.map(({ terms, held }) => ({ data: reclaimPayout(terms), done: `Reclaimed ${usdcText(held)}.` })),
    )
  return (
    <div class="part">
      <h3>Unclaimed payouts</h3>
      <ul class="payouts">
        {payouts.map((payout) => (
          <li key={payout.id}>
            <span>{usdcText(payout.held)}</span>
            <span class="muted">
              {payout.terms.expiry <= now ? 'expired' : 'can be claimed until'} {momentText(payout.terms.expiry)}
            </span>
            <button type="button" class="second" disabled={disabled} onClick={reclaim([payout])}>
              Reclaim
            </button>
          </li>
        ))}
      </ul>
      <div class="row">
        {expired.length > 0 && expired.length < payouts.length && (
          <button type="button" class="second" disabled={disabled} onClick={reclaim(expired)}>
            Reclaim {expired.length} expired
          </button>
        )}
        {payouts.length > 1 && (
          <button type="button" class="second" disabled={disabled} onClick={reclaim(payouts)}>
            Reclaim all {payouts.length}
          </button>
        )}
      </div>
    </div>
  )
}

function Authority(props: { state: WalletState; disabled: boolean; onSend: OnSend }) {
  const { state, disabled, onSend } = props
  return (
    <div class="part">
      <h3>Authority of the provider</h3>
      <p class="muted">
        Revoking ends the session key immediately. Switching off rotation is permanent: the provider can then never set
        another key.
      </p>
      <div class="row">
        <button
          type="button"
          class="second"
          disabled={disabled || state.sessionRevoked}
          onClick={() => onSend('revoke the session key', [{ data: revokeSession(), done: 'Session key revoked.' }])}
        >
          Revoke session key
        </button>
        <button
          type="button"
          class="second"
          disabled={disabled || state.rotationDisabled}
          onClick={() =>
            onSend('switch off rotation', [{ data: disableRotation(), done: 'Rotation authority switched off.' }])
          }
        >
          Switch off rotation authority
        </button>
      </div>
    </div>
  )
}
