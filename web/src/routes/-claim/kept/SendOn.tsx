import { bytesToHex } from '@noble/hashes/utils'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Address, Hex } from '#chain/types.ts'
import { addressProblem, checksumAddress } from '#domain/validators.ts'
import type { SendOnReply } from '#schemas/sendOn.ts'
import { FullAddress } from '#web/components/Address.tsx'
import { AmountInput } from '#web/components/AmountInput.tsx'
import { Button } from '#web/components/Button.tsx'
import { ErrorBox, Field, Input } from '#web/components/Field.tsx'
import type { OpenMoney } from '#web/keptMoney/money.ts'
import {
  forgetSendOn,
  isFinalRefusal,
  sendOnEnd,
  sendsLeftText,
  storedSendOn,
  storeSendOn,
} from '#web/keptMoney/sendOns.ts'
import { fieldText, microOf, typedDecimal, typedMicro, typedProblem } from '#web/lib/amounts.ts'
import { messageOf } from '#web/lib/apiError.ts'
import { asSentence, formatAmount } from '#web/lib/format.ts'
import { type Chain, chainIdOf, networkName, unitOf } from '#web/lib/networks.ts'
import type { ClaimPayout } from '#web/queries/claim.ts'
import { type SendOnInput, sendOn, sentOn } from '#web/queries/sendOn.ts'
import { destinationIn, formatHint, wrongFormat } from '../destination.ts'
import { Frame, Heading } from '../Frame.tsx'
import Door from './Door.tsx'

const pollMs = 2_000 // 2 seconds

type Props = {
  address: Address
  rpId: string
  chain: Chain
  payout: ClaimPayout & { accessToken: string }
  /** The token; undefined while the configuration is loading. */
  usdc: Address | undefined
  /** Decimal USDC; undefined while it is not read. */
  balance: string | undefined
  clockAheadMinutes: number
  onBack: () => void
}

/** Sends money of a kept account to an address: entered, reviewed, signed after a touch, stored, and then sent. */
export function SendOn(props: Props) {
  const { payout } = props
  const [stored, setStored] = useState(() => storedSendOn(payout.id))
  if (stored)
    return (
      <Delivery
        {...props}
        input={stored}
        onEnded={() => {
          forgetSendOn(payout.id)
          props.onBack()
        }}
      />
    )
  return <Form {...props} onSigned={setStored} />
}

type Problems = { to?: string | undefined; amount?: string | undefined }

function Form(props: Props & { onSigned: (input: SendOnInput) => void }) {
  const { payout, chain, balance, usdc } = props
  const [to, setTo] = useState('')
  const [amount, setAmount] = useState('')
  const [problems, setProblems] = useState<Problems>({})
  const [review, setReview] = useState<{ to: Address; amount: string } | null>(null)
  const destination = destinationIn(to, payout)
  const note = 'value' in destination ? destination.value.note : null

  function check(event: FormEvent) {
    event.preventDefault()
    const found = { ...toProblem(destination, props.address), ...amountProblem(amount, balance) }
    setProblems(found)
    if (found.to !== undefined || found.amount !== undefined || !('value' in destination)) return
    setReview({ to: checksumAddress(destination.value.address), amount: typedDecimal(amount) })
  }

  async function sign(money: OpenMoney) {
    // Another tab may have signed meanwhile: its transfer would be forgotten.
    const pending = storedSendOn(payout.id)
    if (pending) return props.onSigned(pending)
    const { to, amount } = review!
    const nonce: Hex = `0x${bytesToHex(crypto.getRandomValues(new Uint8Array(32)))}`
    const validBefore = sendOnEnd(Date.now(), props.clockAheadMinutes)
    const transfer = { to, amount: microOf(amount), nonce, validBefore }
    const signature = await money.sign({ ...transfer, chain, chainId: chainIdOf(chain), usdc: usdc! })
    const input = { accessToken: payout.accessToken, to, amount, validBefore, nonce, signature }
    storeSendOn(payout.id, input)
    props.onSigned(input)
  }

  if (review) {
    const text = `${formatAmount(review.amount)} ${unitOf(chain)}`
    return (
      <Frame key="review" chain={chain}>
        <Heading focused>Check the address</Heading>
        <p className="text-muted">A transfer on {networkName(chain)} can’t be undone. Compare every group.</p>
        <div className="my-5 rounded-control bg-sunken p-4">
          <FullAddress address={review.to} />
        </div>
        <p className="mb-5">
          You send <strong>{text}</strong>. The network fee is covered.
        </p>
        <div className="flex flex-col gap-3">
          <Door
            rpId={props.rpId}
            expected={props.address}
            label={`Send ${text}`}
            disabled={usdc === undefined}
            onOpened={sign}
          />
          <Button look="quiet" onClick={() => setReview(null)}>
            Back
          </Button>
        </div>
      </Frame>
    )
  }

  return (
    <Frame key="form" chain={chain}>
      <form noValidate onSubmit={check} className="space-y-4">
        <Heading focused>Send</Heading>
        <Field label="To address" error={problems.to} hint={problems.to === wrongFormat ? formatHint(to) : note}>
          {(control) => (
            <Input
              {...control}
              placeholder="0x…"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              className="font-mono text-small"
              value={to}
              onChange={(event) => {
                setTo(event.target.value)
                setProblems((now) => ({ ...now, to: undefined }))
              }}
            />
          )}
        </Field>
        <Field
          label="Amount"
          error={problems.amount}
          aside={balance !== undefined && `${formatAmount(balance)} available`}
        >
          {(control) => (
            <AmountInput
              {...control}
              value={amount}
              onChange={(text) => {
                setAmount(text)
                setProblems((now) => ({ ...now, amount: undefined }))
              }}
            />
          )}
        </Field>
        <div className="flex flex-col gap-3">
          <Button look="secondary" disabled={balance === undefined} onClick={() => setAmount(fieldText(balance))}>
            Everything
          </Button>
          <Button type="submit" disabled={balance === undefined}>
            Review
          </Button>
          <Button look="quiet" onClick={props.onBack}>
            Back
          </Button>
        </div>
      </form>
    </Frame>
  )
}

function toProblem(destination: ReturnType<typeof destinationIn>, own: Address): Problems {
  if ('problem' in destination) return { to: destination.problem }
  const { address } = destination.value
  if (addressProblem(address)) return { to: wrongFormat }
  return checksumAddress(address) === own ? { to: 'This is your own address.' } : {}
}

/** At most what is there. */
function amountProblem(text: string, balance: string | undefined): Problems {
  const problem = typedProblem(text, 'Please enter an amount')
  if (problem) return { amount: problem }
  return typedMicro(text)! > microOf(balance ?? '0') ? { amount: `You have ${formatAmount(balance ?? '0')}.` } : {}
}

/** A signed transfer on its way. It is sent when this is first shown, and again, the same one, when its reply was lost. */
function Delivery(props: Props & { input: SendOnInput; onEnded: () => void }) {
  const { input, chain } = props
  const text = `${formatAmount(input.amount)} ${unitOf(chain)}`
  const { data, error, isFetching, refetch } = useQuery<SendOnReply>({
    queryKey: ['send-on', input.nonce],
    // A repeat returns the state of the same transfer, so that the first call and every later one are the same.
    queryFn: async ({ signal, client, queryKey }) =>
      client.getQueryData(queryKey) ? sentOn(input, signal) : sendOn(input),
    refetchInterval: ({ state }) => (state.data?.state === 'PROCESSING' ? pollMs : false),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  const isRefused = data === undefined && isFinalRefusal(error)

  if (data?.state === 'CONFIRMED' || data?.state === 'FAILED')
    return (
      <Frame key="end" chain={chain}>
        <Heading focused>{data.state === 'CONFIRMED' ? `${text} sent` : 'Not sent'}</Heading>
        <p className="my-3 text-muted">
          {data.state === 'CONFIRMED'
            ? 'The transfer is complete. Network fee covered.'
            : 'The transfer did not go through and your money is still here. You can send it again.'}
        </p>
        {data.state === 'CONFIRMED' && sendsLeftText(data.sendsLeft) && (
          <p className="mb-4">{sendsLeftText(data.sendsLeft)}</p>
        )}
        {data.explorerUrl && (
          <p className="mb-4">
            <a href={data.explorerUrl} target="_blank" rel="noopener noreferrer" className="text-green underline">
              View transaction in explorer
            </a>
          </p>
        )}
        <div className="flex flex-col">
          <Button onClick={props.onEnded}>Done</Button>
        </div>
      </Frame>
    )
  return (
    <Frame chain={chain}>
      <Heading focused>Sending {text}</Heading>
      <div role="status" className="my-3 text-muted">
        {error === null && 'The transfer is on its way. This usually takes a few seconds. You can close this page.'}
      </div>
      {error !== null && (
        <ErrorBox className="mb-4">
          {isRefused
            ? messageOf(error)
            : `${asSentence(messageOf(error, 'The reply was lost'))} Trying again is safe: the money moves at most once.`}
        </ErrorBox>
      )}
      <div className="flex flex-col gap-3">
        {error !== null && !isRefused && (
          <Button busy={isFetching} onClick={() => refetch()}>
            Try again
          </Button>
        )}
        {isRefused ? (
          <Button onClick={props.onEnded}>Back</Button>
        ) : (
          <Button look="quiet" onClick={props.onBack}>
            Back
          </Button>
        )}
      </div>
    </Frame>
  )
}
