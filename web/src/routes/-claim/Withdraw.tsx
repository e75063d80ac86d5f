import { ClipboardPaste } from 'lucide-react'
import { type FormEvent, lazy, Suspense, useRef, useState } from 'react'
import { FullAddress } from '#web/components/Address.tsx'
import { Button } from '#web/components/Button.tsx'
import { CopyButton } from '#web/components/CopyButton.tsx'
import { ErrorBox, Field, Input } from '#web/components/Field.tsx'
import { Spinner } from '#web/components/Spinner.tsx'
import { isOfferedHere } from '#web/keptMoney/isOfferedHere.ts'
import { asSentence, formatAmount, formatMoment } from '#web/lib/format.ts'
import { networkName, networkPhrase, unitOf } from '#web/lib/networks.ts'
import type { Action } from '#web/lib/useAction.ts'
import type { ClaimPayout } from '#web/queries/claim.ts'
import { destinationIn, formatHint, wrongFormat } from './destination.ts'
import { Frame, Heading, Summary } from './Frame.tsx'

const KeepHere = lazy(() => import('./kept/KeepHere.tsx'))

/** Where the money goes; `kept` if a passkey of that domain opens the address. */
export type Destination = { address: string; kept?: { kept: true; passkeyDomain: string } }

const clipboardRefused = 'The browser did not let this page read the clipboard. Paste into the field instead.'

/** Asks for the destination, then shows the whole address again before the money leaves. */
export default function Withdraw(props: {
  payout: ClaimPayout
  balance: string
  /** The address entered earlier. */
  address: string | undefined
  claim: Action<Destination>
}) {
  const { payout } = props
  const { start, busy, problem, setProblem, isUnknown } = props.claim
  const amount = `${formatAmount(props.balance)} ${unitOf(payout.chain)}`
  const [address, setAddress] = useState(props.address ?? '')
  const [addressError, setAddressError] = useState<string>()
  const [isPasteRefused, setPasteRefused] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const destination = destinationIn(address, payout)
  const note = 'value' in destination ? destination.value.note : null
  /** The checksummed address under review. */
  const [review, setReview] = useState<string | null>(null)
  /** True after the user returned from the review: the address field then gets the focus. */
  const [back, setBack] = useState(false)
  const [isKeeping, setKeeping] = useState(false)
  const { passkeyDomain } = payout

  async function check(event: FormEvent) {
    event.preventDefault()
    setProblem(undefined)
    if ('problem' in destination) return refuse(destination.problem)
    const { addressProblem, checksumAddress } = await import('#domain/validators.ts')
    if (addressProblem(destination.value.address)) return refuse(wrongFormat)
    setPasteRefused(false)
    setReview(checksumAddress(destination.value.address))
  }

  function refuse(error: string) {
    setAddressError(error)
    setPasteRefused(false)
    field.current?.focus()
  }

  function enter(text: string) {
    setAddress(text)
    setAddressError(undefined)
    setPasteRefused(false)
  }

  function leaveReview() {
    setReview(null)
    setBack(true)
  }

  if (isKeeping)
    return (
      <Suspense fallback={<Spinner />}>
        <KeepHere
          {...{ payout, busy, problem, isUnknown }}
          balance={props.balance}
          rpId={passkeyDomain!}
          onKeep={(account) => start({ address: account, kept: { kept: true, passkeyDomain: passkeyDomain! } })}
          onBack={() => {
            setProblem(undefined)
            setKeeping(false)
          }}
        />
      </Suspense>
    )
  if (review)
    return (
      <Frame chain={payout.chain}>
        <Heading focused>Check the address</Heading>
        <p className="text-muted">
          A transfer on {networkName(payout.chain)} can’t be undone. Compare every group with your wallet.
        </p>
        <div className="my-5 rounded-control bg-sunken p-4">
          <FullAddress address={review} />
        </div>
        <dl className="mb-5 divide-y divide-hairline">
          <Row name="You receive">{amount}</Row>
          <Row name="Network fee">Covered by the sender</Row>
        </dl>
        {problem && (
          <ErrorBox className="mb-4">
            {isUnknown ? `${asSentence(problem)} Trying again is safe: the money moves at most once.` : problem}
          </ErrorBox>
        )}
        <div className="flex flex-col gap-3">
          <Button busy={busy} onClick={() => start({ address: review })}>
            Yes, withdraw {amount}
          </Button>
          <Button look="quiet" disabled={busy || isUnknown} onClick={leaveReview}>
            Back
          </Button>
        </div>
      </Frame>
    )

  return (
    <Frame chain={payout.chain}>
      <Summary payout={payout} amount={props.balance} />
      {isOfferedHere(passkeyDomain) && (
        <div className="mt-6 flex flex-col gap-2 border-hairline border-t pt-5 text-center">
          <Button disabled={busy || isUnknown} onClick={() => setKeeping(true)}>
            Keep it here
          </Button>
          <p className="text-muted text-small">Opened by your face, fingerprint or phone code. No app needed.</p>
        </div>
      )}
      <form noValidate onSubmit={check} className="mt-6 space-y-4 border-hairline border-t pt-5">
        <Heading focused={!back}>Withdraw funds</Heading>
        {problem && <ErrorBox>{problem}</ErrorBox>}
        <dl className="divide-y divide-hairline">
          <Row name="Balance">{amount}</Row>
        </dl>
        <details className="text-small">
          <summary className="rounded-sm py-1 text-green">Payout wallet on {networkPhrase(payout.chain)}</summary>
          <p translate="no" className="mt-1 break-all font-mono text-muted">
            {payout.payoutAddress}
          </p>
        </details>
        <Field
          label="Destination address"
          error={addressError}
          hint={addressError === wrongFormat ? formatHint(address) : note}
        >
          {(control) => (
            <div className="flex gap-2">
              <Input
                {...control}
                ref={field}
                autoFocus={back}
                name="recipientAddress"
                placeholder="0x…"
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                className="font-mono text-small"
                value={address}
                onChange={(event) => enter(event.target.value)}
              />
              <PasteButton onPaste={enter} onRefused={() => setPasteRefused(true)} />
            </div>
          )}
        </Field>
        {/* Not an error of the field: the address in it may be right. */}
        {isPasteRefused && (
          <p role="alert" className="text-red text-small">
            {clipboardRefused}
          </p>
        )}
        <Button type="submit" look={isOfferedHere(passkeyDomain) ? 'secondary' : 'primary'} className="w-full">
          Withdraw {amount}
        </Button>
        <p className="text-center text-muted text-small">Network fees covered</p>
        <details className="text-small">
          <summary className="rounded-sm py-1 text-green">What is a wallet address?</summary>
          <p className="mt-1 text-muted">
            A wallet app or an exchange account gives you one: look for “Receive” or “Deposit”, choose USDC and{' '}
            {networkPhrase(payout.chain)}, and copy the address that starts with 0x. An address on another network may
            lose the money.
          </p>
        </details>
        <details className="text-small">
          <summary className="rounded-sm py-1 text-green">My wallet is on another device</summary>
          <p className="mt-1 mb-2 text-muted">
            Open this page there: send yourself the link and enter your code again. Or send yourself the address from
            there and paste it here.
          </p>
          <CopyButton wide text={location.href} what="link to this page" />
        </details>
        <details className="text-small">
          <summary className="rounded-sm py-1 text-green">I don’t have a wallet</summary>
          <ol className="mt-1 list-decimal space-y-1 pl-5 text-muted">
            <li>
              Install a wallet app that supports {networkPhrase(payout.chain)}, such as Coinbase Wallet, MetaMask or
              Rabby. Get it from its own site or your app store.
            </li>
            <li>
              Create a wallet, and keep its recovery phrase on paper. No one, including us, should ever ask for it.
            </li>
            <li>
              Press “Receive”, choose USDC on {networkName(payout.chain)}, and copy the address that starts with 0x.
            </li>
            <li>
              Come back to this page and paste it. Your payout waits until {formatMoment(payout.expiresAt)}, and this
              link and your code work until then.
            </li>
          </ol>
          <p className="mt-2 text-muted">
            To have dollars in a bank account instead, use the address of an exchange account that takes USDC on{' '}
            {networkName(payout.chain)}, such as Coinbase or Kraken: sell the USDC there.
          </p>
        </details>
      </form>
    </Frame>
  )
}

function Row(props: { name: string; children: React.ReactNode }) {
  return (
    <div className="flex justify-between gap-4 py-2">
      <dt className="text-muted text-small">{props.name}</dt>
      <dd>{props.children}</dd>
    </div>
  )
}

/** Pastes text from the clipboard. Renders nothing in browsers that can't read it. */
function PasteButton(props: { onPaste: (text: string) => void; onRefused: () => void }) {
  if (typeof navigator.clipboard?.readText !== 'function') return null
  return (
    <Button
      look="secondary"
      onClick={() => navigator.clipboard.readText().then((text) => props.onPaste(text.trim()), props.onRefused)}
    >
      <ClipboardPaste aria-hidden="true" className="size-4" />
      Paste
    </Button>
  )
}
