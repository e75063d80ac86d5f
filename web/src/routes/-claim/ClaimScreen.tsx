import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useState } from 'react'
import { Button } from '../../components/Button.tsx'
import { Spinner } from '../../components/Spinner.tsx'
import { ApiError, messageOf } from '../../lib/api.ts'
import { formatAmount, formatMoment } from '../../lib/format.ts'
import { isUnknown, useIdempotencyKey, useTitle } from '../../lib/hooks.ts'
import { type ClaimPayout, claimPayout, claimQuery } from '../../queries/claim.ts'
import { Verify } from './Verify.tsx'

// What comes after the first screen is loaded when it is needed.
const Ending = lazy(() => import('./Ending.tsx'))
const OnItsWay = lazy(() => import('./OnItsWay.tsx'))
const Receipt = lazy(() => import('./Receipt.tsx'))
const Withdraw = lazy(() => import('./Withdraw.tsx'))

const invalidLink = 'This payout link is invalid or has expired.'
const followMs = 2_000 // 2 seconds

/** What the right code opened. */
type Opened = { passcode: string; sessionToken: string; balance: string }
type Step =
  /** Again, with the reason and the address so far, when the session of the first code is over. */
  | { step: 'verify'; problem?: string; address?: string }
  | { step: 'withdraw'; opened: Opened; problem?: string; address?: string | undefined }
  /** `seen`: the server has said that the transfer is under way. */
  | { step: 'claiming'; opened: Opened; recipientAddress: string; seen: boolean }
  | { step: 'complete'; recipientAddress: string }

export function ClaimScreen(props: { accessToken: string }) {
  return (
    <Suspense fallback={<Spinner />}>
      <ClaimSteps {...props} />
    </Suspense>
  )
}

function ClaimSteps(props: { accessToken: string }) {
  const { accessToken } = props
  const [state, setState] = useState<Step>({ step: 'verify' })
  const idempotencyKey = useIdempotencyKey()
  const client = useQueryClient()
  const query = claimQuery(accessToken)
  const {
    data: payout,
    error,
    isPending,
    refetch,
  } = useQuery({
    ...query,
    retryOnMount: false, // the screen of a failure is loaded when it is needed, and mounts this anew
    ...(state.step === 'claiming' ? { refetchInterval: followMs } : {}),
  })
  useTitle('Claim your payout')

  // The chain has the last word on a transfer under way.
  useEffect(() => {
    if (state.step !== 'claiming' || !payout) return
    if (payout.status === 'WITHDRAWN') setState({ step: 'complete', recipientAddress: state.recipientAddress })
    else if (payout.status === 'CLAIMING' && !state.seen) setState({ ...state, seen: true })
    else if (payout.status === 'CREATED' && state.seen)
      setState({
        step: 'withdraw',
        opened: state.opened,
        problem: 'The transfer did not go through and your money is still here. Try again, or choose another address.',
      })
  }, [state, payout])

  if (isPending) return <Spinner />
  if (!payout) {
    const missing = error instanceof ApiError && (error.status === 404 || error.status === 410)
    const message = missing
      ? messageOf(error, invalidLink)
      : messageOf(error, 'Failed to load payout details', 'Failed to load escrow details')
    return <NotFound message={message} {...(isUnknown(error) ? { onRetry: () => refetch() } : {})} />
  }
  if (state.step === 'complete') return <Receipt payout={payout} recipientAddress={state.recipientAddress} />
  if (payout.status === 'CANCELLED')
    return (
      <Ending look="reclaimed" title="Payout Reclaimed" leave="Close">
        The sender took these funds back, so they can no longer be claimed. If you did not expect this, ask{' '}
        {payout.senderName ?? 'the sender'}.
      </Ending>
    )
  if (payout.status === 'WITHDRAWN') return <AlreadyClaimed payout={payout} />
  if (state.step === 'claiming' || payout.status === 'CLAIMING') return <OnItsWay payout={payout} />
  if (Date.parse(payout.expiresAt) < Date.now()) return <NotFound message={invalidLink} />

  if (state.step === 'withdraw') {
    const { opened } = state
    return (
      <Withdraw
        payout={payout}
        balance={opened.balance}
        problem={state.problem}
        address={state.address}
        onWithdraw={async (recipientAddress) => {
          try {
            const reply = await claimPayout(
              { accessToken, passcode: opened.passcode, sessionToken: opened.sessionToken, recipientAddress },
              idempotencyKey.current(),
            )
            client.setQueryData(query.queryKey, (old) => old && { ...old, ...reply })
            setState({ step: 'claiming', opened, recipientAddress, seen: false })
          } catch (problem) {
            idempotencyKey.refused(problem)
            if (problem instanceof ApiError && problem.field === 'passcode')
              return setState({ step: 'verify', problem: problem.message, address: recipientAddress })
            refetch() // it may have ended in another way meanwhile
            throw problem
          }
        }}
      />
    )
  }
  return (
    <Verify
      payout={payout}
      accessToken={accessToken}
      problem={state.step === 'verify' ? state.problem : undefined}
      onVerified={(opened) =>
        setState({ step: 'withdraw', opened, address: state.step === 'verify' ? state.address : undefined })
      }
    />
  )
}

function NotFound(props: { message: string; onRetry?: () => void }) {
  return (
    <Ending
      look="missing"
      title="Payout Not Found"
      leave="Return Home"
      action={props.onRetry && <Button onClick={props.onRetry}>Try again</Button>}
    >
      {props.message}
    </Ending>
  )
}

function AlreadyClaimed(props: { payout: ClaimPayout }) {
  const { payout } = props
  return (
    <Ending look="claimed" title="Already Claimed" leave="Return Home">
      <p>{formatAmount(payout.amount)} USDC has been withdrawn from this payout.</p>
      <p className="text-small">
        It was valid until <span className="inline-block">{formatMoment(payout.expiresAt)}.</span>
      </p>
    </Ending>
  )
}
