import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, startTransition, useEffect, useState } from 'react'
import { Button } from '#web/components/Button.tsx'
import { Spinner } from '#web/components/Spinner.tsx'
import { ApiError, isOutcomeUnknown, messageOf, messageOrThrown } from '#web/lib/apiError.ts'
import { useAction } from '#web/lib/useAction.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { claimNotLoaded, claimPayout, claimQuery } from '#web/queries/claim.ts'
import { forgetTransfer, keepCompletion, keepSession, keepTransfer, restore, type Verified } from './claimProgress.ts'
import { Verify } from './Verify.tsx'

// The steps after the first one are loaded when they are needed.
const loadPending = () => import('./ClaimPending.tsx')
const loadReceipt = () => import('./Receipt.tsx')
const ClaimOutcome = lazy(async () => ({ default: (await import('./outcomes.tsx')).ClaimOutcome }))
const ClaimPending = lazy(loadPending)
const AlreadyClaimed = lazy(async () => ({ default: (await import('./outcomes.tsx')).AlreadyClaimed }))
const Receipt = lazy(loadReceipt)
const Withdraw = lazy(() => import('./Withdraw.tsx'))

const invalidLink = 'This payout link is invalid or has expired.'
const pollMs = 2_000 // 2 seconds
const transferFailed =
  'The transfer did not go through and your money is still here. Try again, or choose another address.'

type Step =
  /** `problem` is set if an earlier claim session has ended or its transfer failed; `address` is the one entered then. */
  | { step: 'verify'; problem?: string; address?: string }
  | { step: 'withdraw'; verified: Verified; address?: string | undefined }
  /** `seen`: the server has reported the transfer as in progress. */
  | { step: 'claiming'; verified: Verified | null; recipientAddress: string; seen: boolean }
  | { step: 'complete'; recipientAddress: string; completedAt: string }

/** The step this tab was at before a reload. */
function restoredStep(accessToken: string): Step {
  const { verified, transfer, completedAt } = restore(accessToken)
  if (transfer && completedAt) return { step: 'complete', ...transfer, completedAt }
  if (transfer) return { step: 'claiming', verified, ...transfer }
  return verified ? { step: 'withdraw', verified } : { step: 'verify' }
}

export function ClaimScreen(props: { accessToken: string }) {
  return (
    <Suspense fallback={<Spinner />}>
      <ClaimSteps {...props} />
    </Suspense>
  )
}

function ClaimSteps(props: { accessToken: string }) {
  const { accessToken } = props
  const [state, setState] = useState(() => restoredStep(accessToken))
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
  const claim = useAction(
    async (recipientAddress: string, idempotencyKey) => {
      if (state.step !== 'withdraw') return
      const { verified } = state
      const { sessionToken, passcode } = verified
      const body = { accessToken, recipientAddress, sessionToken, ...(passcode !== null && { passcode }) }
      const reply = await claimPayout(body, idempotencyKey)
      client.setQueryData(query.queryKey, (old) => old && { ...old, ...reply })
      keepTransfer(accessToken, recipientAddress)
      setState({ step: 'claiming', verified, recipientAddress, seen: false })
    },
    {
      fallback: (failure) => messageOrThrown(failure, 'Withdrawal failed'),
      onFailed(failure, _, address) {
        const isSessionOver = failure instanceof ApiError && failure.field === 'passcode'
        if (isSessionOver) setState({ step: 'verify', problem: failure.message, address })
        else refetch() // the payout may have been claimed or reclaimed in the meantime
        return isSessionOver
      },
    },
  )
  const { setProblem } = claim
  useTitle('Claim your payout')

  // Loads the next steps while the address is typed: once the money has left, they must show even if the network is gone.
  useEffect(() => {
    if (state.step === 'withdraw') Promise.all([loadPending(), loadReceipt()]).catch(() => undefined)
  }, [state.step])

  // The payout's status on chain decides the outcome of a pending transfer.
  useEffect(() => {
    if (state.step !== 'claiming' || !payout) return
    const { verified, recipientAddress, seen } = state
    if (payout.status === 'WITHDRAWN') {
      const completedAt = keepCompletion(accessToken)
      // A transition leaves "Transferring" on the page until the receipt is loaded.
      startTransition(() => setState({ step: 'complete', recipientAddress, completedAt }))
    } else if (payout.status === 'CLAIMING' && !seen) setState({ ...state, seen: true })
    else if (payout.status === 'CREATED' && seen) {
      forgetTransfer(accessToken)
      if (verified) setProblem(transferFailed)
      setState(
        verified
          ? { step: 'withdraw', verified }
          : { step: 'verify', problem: transferFailed, address: recipientAddress },
      )
    }
  }, [state, payout, accessToken, setProblem])

  if (isPending) return <Spinner />
  if (!payout) {
    const missing = error instanceof ApiError && (error.status === 404 || error.status === 410)
    const message = missing ? messageOf(error, invalidLink) : messageOf(error, ...claimNotLoaded)
    return <NotFound message={message} {...(isOutcomeUnknown(error) ? { onRetry: () => refetch() } : {})} />
  }
  const isWithdrawn = payout.status === 'WITHDRAWN'
  if (state.step === 'complete' && isWithdrawn)
    return (
      <Receipt
        payout={payout}
        accessToken={accessToken}
        recipientAddress={state.recipientAddress}
        completedAt={state.completedAt}
      />
    )
  if (payout.status === 'CANCELLED')
    return (
      <ClaimOutcome look="reclaimed" title="Payout Reclaimed" leave="Close" chain={payout.chain}>
        The sender took these funds back, so they can no longer be claimed. If you did not expect this, ask{' '}
        {payout.senderName ?? 'the sender'}.
      </ClaimOutcome>
    )
  if (payout.status === 'FAILED')
    return (
      <ClaimOutcome look="missing" title="Payout Not Funded" leave="Close" chain={payout.chain}>
        The sender’s payment did not arrive, so there is nothing to claim. Ask {payout.senderName ?? 'the sender'} to
        send it again.
      </ClaimOutcome>
    )
  // Of this tab's own transfer the receipt follows: to say here that it was claimed would sound as if someone else had.
  if (isWithdrawn && state.step !== 'claiming') return <AlreadyClaimed payout={payout} />
  if (state.step === 'claiming' || payout.status === 'CLAIMING') return <ClaimPending payout={payout} />

  if (state.step === 'withdraw')
    return <Withdraw payout={payout} balance={state.verified.balance} address={state.address} claim={claim} />
  return (
    <Verify
      payout={payout}
      accessToken={accessToken}
      problem={state.step === 'verify' ? state.problem : undefined}
      onVerified={(verified) => {
        keepSession(accessToken, verified)
        setState({ step: 'withdraw', verified, address: state.step === 'verify' ? state.address : undefined })
      }}
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
