/** @jsxImportSource preact */

import type { RefObject } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { disableRotation, reclaimPayout, revokeSession, transfer, withdraw } from '#chain/ownerCalls.ts'
import type { Address, Hex } from '#chain/types.ts'
import { formatUsdc } from '#domain/money.ts'
import { problemIn, valueIn } from '#domain/readers/read.ts'
import { checksumAddress } from '#domain/validators.ts'
import { addressGroups, formatAmount, formatMoment } from '../lib/format.ts'
import { withdrawalAddress } from '../lib/withdrawalAddress.ts'
import type { FoundWallet, LookUp } from './lookUp.ts'
import type { OnSend, OpenPayout, WalletState } from './wallet.ts'

/** Micro-USDC as '1,234.50 USDC'. */
const usdcText = (micro: bigint): string => `${formatAmount(formatUsdc(micro))} USDC`

/** Wei as '0.5 ETH'. */
function etherText(wei: bigint): string {
  const digits = wei.toString().padStart(19, '0')
  return `${digits.slice(0, -18)}.${digits.slice(-18).replace(/0+$/, '').padEnd(1, '0')} ETH`
}

/** Unix seconds as a local time with its zone. */
const momentText = (seconds: number): string => formatMoment(seconds * 1000)

/** A list of names and values. */
const Facts = (props: { rows: [name: string, value: string][] }) => (
  <dl>
    {props.rows.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

/** Enough for the most expensive call of this page at a high gas price: 0.0001 ETH. */
const enoughWei = 100_000_000_000_000n

/** The owner's address and its ETH, with a warning if there is a wallet and that may not cover the network fees. */
export const OwnerCard = (props: {
  address: string
  /** Wei; null if it could not be read. */
  ether: bigint | null
  /** What the key's own account holds, as of recipients who keep a payout; null if it could not be read. */
  usdc: LookUp['usdc']
  network: string
  hasWallet: boolean
  heading: RefObject<HTMLHeadingElement>
  disabled: boolean
  onSend: OnSend
}) => (
  <section class="card">
    <h2 ref={props.heading} tabIndex={-1}>
      Your key
    </h2>
    <Facts
      rows={[
        ['Network', props.network],
        ['Owner address', checksumAddress(props.address)],
        ['ETH for network fees', props.ether === null ? 'not read' : etherText(props.ether)],
        ...(props.usdc?.amount ? [['Balance', usdcText(props.usdc.amount)] satisfies [string, string]] : []),
      ]}
    />
    {(props.hasWallet || !!props.usdc?.amount) && props.ether !== null && props.ether < enoughWei && (
      <p class="warn">
        Network fees are paid by the owner address, in ETH. Send {etherText(enoughWei)} on this network to it, then look
        up again.
      </p>
    )}
    {!!props.usdc?.amount && (
      <WithdrawForm
        from={props.address as Address}
        holdings={[{ text: usdcText(props.usdc.amount), callTo: (to) => transfer(to, props.usdc!.amount) }]}
        disabled={props.disabled}
        onSend={props.onSend}
      />
    )}
  </section>
)

/** A wallet's state and its owner's actions. */
export function WalletCard(props: { wallet: FoundWallet; disabled: boolean; onSend: OnSend }) {
  const { state, isOwner, payouts } = props.wallet
  return (
    <section class="card" aria-label={`Wallet ${state.address}`}>
      <h2>Wallet</h2>
      <Facts
        rows={[
          ['Address', checksumAddress(state.address)],
          ['Balance', [usdcText(state.usdc), state.ether > 0n && etherText(state.ether)].filter(Boolean).join(' and ')],
          ['Session key', sessionText(state)],
          ['Rotation by the provider', state.rotationDisabled ? 'permanently switched off' : 'allowed'],
          ...(isOwner ? [['In unclaimed payouts', payoutsText(props.wallet)] satisfies [string, string]] : []),
        ]}
      />
      {isOwner ? (
        <>
          {payouts.length > 0 && <Payouts {...props} payouts={payouts} now={state.now} />}
          <Authority {...props} state={state} />
          <WithdrawForm
            from={state.address}
            holdings={holdingsOf(state)}
            disabled={props.disabled}
            onSend={props.onSend}
          />
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

function payoutsText({ payouts, isSearched }: FoundWallet): string {
  const total = payouts.reduce((sum, { held }) => sum + held, 0n)
  const found = payouts.length === 0 ? 'nothing found' : `${usdcText(total)} in ${payouts.length}`
  return isSearched ? found : `${found}, search not complete`
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
            <div>
              {usdcText(payout.held)}
              <div class="muted">
                {payout.terms.expiry <= now ? 'expired' : 'can be claimed until'} {momentText(payout.terms.expiry)}
              </div>
            </div>
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

const noToken: Address = `0x${'0'.repeat(40)}`

/** What could not be read, and a button that reads only that. */
export const Problems = (props: { texts: string[]; disabled: boolean; onRetry: () => void }) => (
  <section class="card" aria-label="What could not be read">
    <h2>Not everything could be read</h2>
    <p>What is below was read from the chain, but something may be missing. Trying again reads only what is missing.</p>
    <ul class="problems">
      {props.texts.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
    <div class="row">
      <button type="button" disabled={props.disabled} onClick={props.onRetry}>
        Try again
      </button>
    </div>
  </section>
)

/** An amount, as a text, and the call that moves all of it. */
type Holding = { text: string; callTo: (to: Address) => Hex }

const holdingsOf = ({ contracts, usdc, ether }: WalletState): Holding[] =>
  [
    { token: contracts.usdc, amount: usdc, text: usdcText(usdc) },
    { token: noToken, amount: ether, text: etherText(ether) },
  ]
    .filter(({ amount }) => amount > 0n)
    .map(({ token, amount, text }) => ({ text, callTo: (to) => withdraw(token, to, amount) }))

/** A form that moves everything of a wallet, or of the key's own account, to an address. */
function WithdrawForm(props: { from: Address; holdings: Holding[]; disabled: boolean; onSend: OnSend }) {
  const { from, holdings } = props
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const read = withdrawalAddress(typed, from)
  const to = valueIn(read)
  const id = `to-${from}`

  function submit() {
    setProblem(problemIn(read))
    if (to === null) return input.current?.focus()
    props.onSend(
      'withdraw everything',
      holdings.map(({ text, callTo }) => ({ data: callTo(to), done: `Withdrew ${text}.` })),
    )
  }

  return (
    <div class="part">
      <h3>Withdraw everything</h3>
      <label for={id}>To address, on the same network</label>
      <input
        ref={input}
        id={id}
        autocomplete="off"
        spellcheck={false}
        placeholder="0x…"
        class="code"
        value={typed}
        onInput={(event) => {
          setTyped(event.currentTarget.value)
          setProblem(null)
        }}
      />
      <p class="code muted" aria-live="polite">
        {to && `0x ${addressGroups(checksumAddress(to)).join(' ')}`}
      </p>
      <p class="bad" role="alert">
        {problem}
      </p>
      <div class="row">
        <button type="button" disabled={props.disabled || holdings.length === 0} onClick={submit}>
          Withdraw {holdings.map(({ text }) => text).join(' and ') || 'everything'}
        </button>
      </div>
    </div>
  )
}
