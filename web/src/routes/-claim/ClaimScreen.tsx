import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useState } from 'react'
import { Button } from '../../components/Button.tsx'
import { Spinner } from '../../components/Spinner.tsx'
import { ApiError, isOutcomeUnknown, messageOf } from '../../lib/apiError.ts'
import { formatAmount, formatMoment } from '../../lib/format.ts'
import { useIdempotencyKey } from '../../lib/useIdempotencyKey.ts'
import { useTitle } from '../../lib/useTitle.ts'
import { type ClaimPayout, claimPayout, claimQuery } from '../../queries/claim.ts'
import { type Verified, Verify } from './Verify.tsx'

// The steps after the first one are loaded when they are needed.
const ClaimOutcome = lazy(() => import('./ClaimOutcome.tsx'))
const ClaimPending = lazy(() => import('./ClaimPending.tsx'))
const Receipt = lazy(() => import('./Receipt.tsx'))
const Withdraw = lazy(() => import('./Withdraw.tsx'))

const invalidLink = 'This payout link is invalid or has expired.'
const pollMs = 2_000 // 2 seconds

type Step =
  /** With `problem` when the session of an earlier code has ended; `address` is what was entered then. */
  | { step: 'verify'; problem?: string; address?: string }
  | { step: 'withdraw'; verified: Verified; problem?: string; address?: string | undefined }
  /** `seen`: the server has reported that the transfer is under way. */
  | { step: 'claiming'; verified: Verified; recipientAddress: string; seen: boolean }
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
    retryOnMount: false, // the failure screen is loaded lazily, which mounts this component again
    ...(state.step === 'claiming' ? { refetchInterval: pollMs } : {}),
  })
  useTitle('Claim your payout')

  // The payout's status on chain decides how a transfer under way ends.
  useEffect(() => {
    if (state.step !== 'claiming' || !payout) return
    if (payout.status === 'WITHDRAWN') setState({ step: 'complete', recipientAddress: state.recipientAddress })
    else if (payout.status === 'CLAIMING' && !state.seen) setState({ ...state, seen: true })
    else if (payout.status === 'CREATED' && state.seen)
      setState({
        step: 'withdraw',
        verified: state.verified,
        problem: 'The transfer did not go through and your money is still here. Try again, or choose another address.',
      })
  }, [state, payout])

  if (isPending) return <Spinner />
  if (!payout) {
    const missing = error instanceof ApiError && (error.status === 404 || error.status === 410)
    const message = missing
      ? messageOf(error, invalidLink)
      : messageOf(error, 'Failed to load payout details', 'Failed to load escrow details')
    return <NotFound message={message} {...(isOutcomeUnknown(error) ? { onRetry: () => refetch() } : {})} />
  }
  if (state.step === 'complete') return <Receipt payout={payout} recipientAddress={state.recipientAddress} />
  if (payout.status === 'CANCELLED')
    return (
      <ClaimOutcome look="reclaimed" title="Payout Reclaimed" leave="Close">
        The sender took these funds back, so they can no longer be claimed. If you did not expect this, ask{' '}
        {payout.senderName ?? 'the sender'}.
      </ClaimOutcome>
    )
  if (payout.status === 'WITHDRAWN') return <AlreadyClaimed payout={payout} />
  if (state.step === 'claiming' || payout.status === 'CLAIMING') return <ClaimPending payout={payout} />
  if (Date.parse(payout.expiresAt) < Date.now()) return <NotFound message={invalidLink} />

  if (state.step === 'withdraw') {
    const { verified } = state
    return (
      <Withdraw
        payout={payout}
        balance={verified.balance}
        problem={state.problem}
        address={state.address}
        onWithdraw={async (recipientAddress) => {
          try {
            const reply = await claimPayout(
              { accessToken, passcode: verified.passcode, sessionToken: verified.sessionToken, recipientAddress },
              idempotencyKey.current(),
            )
            client.setQueryData(query.queryKey, (old) => old && { ...old, ...reply })
            setState({ step: 'claiming', verified, recipientAddress, seen: false })
          } catch (problem) {
            idempotencyKey.onFailed(problem)
            if (problem instanceof ApiError && problem.field === 'passcode')
              return setState({ step: 'verify', problem: problem.message, address: recipientAddress })
            refetch() // the payout may have been claimed or reclaimed meanwhile
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
      onVerified={(verified) =>
        setState({ step: 'withdraw', verified, address: state.step === 'verify' ? state.address : undefined })
      }
    />
  )
}

function NotFound(props: { message: string; onRetry?: () => void }) {
  return (
    <ClaimOutcome
      look="missing"
      title="Payout Not Found"
      leave="Return Home"
      action={props.onRetry && <Button onClick={props.onRetry}>Try again</Button>}
    >
      {props.message}
    </ClaimOutcome>
  )
}

function AlreadyClaimed(props: { payout: ClaimPayout }) {
  const { payout } = props
  return (
    <ClaimOutcome look="claimed" title="Already Claimed" leave="Return Home">
      <p>{formatAmount(payout.amount)} USDC has been withdrawn from this payout.</p>
      <p className="text-small">
        It was valid until <span className="inline-block">{formatMoment(payout.expiresAt)}.</span>
      </p>
    </ClaimOutcome>
  )
}
