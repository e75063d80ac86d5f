import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, startTransition, useEffect, useState } from 'react'
import type { Address } from '#chain/types.ts'
import { Spinner } from '#web/components/Spinner.tsx'
import { ApiError, isOutcomeUnknown } from '#web/lib/apiError.ts'
import { messageOrThrown } from '#web/lib/messageOrThrown.ts'
import { useAction } from '#web/lib/useAction.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { type ClaimPayout, claimPayout, claimQuery } from '#web/queries/claim.ts'
import { endRequest, isOwnWithdrawal, keepRequest, keepSession } from './claimProgress.ts'
import { nextStep, restoredStep } from './claimSteps.ts'
import { Verify } from './Verify.tsx'
import type { Destination } from './Withdraw.tsx'

// The steps after the first one are loaded when they are needed.
const loadPending = () => import('./ClaimPending.tsx')
const loadReceipt = () => import('./Receipt.tsx')
const ClaimPending = lazy(loadPending)
const Outcome = lazy(() => import('./outcomes.tsx'))
const KeptMoney = lazy(() => import('./kept/KeptMoney.tsx'))
const Receipt = lazy(loadReceipt)
const Withdraw = lazy(() => import('./Withdraw.tsx'))

const pollMs = 2_000 // 2 seconds

export function ClaimScreen(props: { accessToken: string }) {
  useTitle('Claim your payout')
  return (
    <Suspense fallback={<Spinner />}>
      <LinkedPayout {...props} />
    </Suspense>
  )
}

function LinkedPayout({ accessToken }: { accessToken: string }) {
  const query = claimQuery(accessToken)
  // The failure screen is loaded lazily, which mounts this component again.
  const { data: payout, error, isPending, refetch } = useQuery({ ...query, retryOnMount: false })
  if (isPending) return <Spinner />
  if (payout) return <ClaimSteps accessToken={accessToken} payout={payout} />
  return <Outcome error={error} onRetry={refetch} />
}

type StepsProps = { accessToken: string; payout: ClaimPayout }

/** The recipient's step, and the call that withdraws. The payout's status on chain decides the outcome of a withdrawal. */
function useSteps({ accessToken, payout }: StepsProps) {
  const [state, setState] = useState(() => restoredStep(accessToken, payout))
  const client = useQueryClient()
  const query = claimQuery(accessToken)
  const refetch = () => void client.refetchQueries(query)
  const claim = useAction(
    async ({ address: recipientAddress, kept }: Destination, idempotencyKey) => {
      if (state.step !== 'withdraw') return
      const { sessionToken, passcode } = state.verified
      const body = { accessToken, recipientAddress, sessionToken, ...(passcode !== null && { passcode }), ...kept }
      keepRequest(payout.id, recipientAddress)
      await claimPayout(body, idempotencyKey)
      // The status may have been polled before this reply arrived.
      setState((now) => (now === state ? { step: 'claiming', verified: state.verified, known: 'accepted' } : now))
      refetch()
    },
    {
      fallback: (failure) => messageOrThrown(failure, 'Withdrawal failed'),
      onFailed(failure, _, { address }) {
        if (!isOutcomeUnknown(failure)) endRequest(payout.id)
        const isSessionOver = failure instanceof ApiError && failure.field === 'passcode'
        if (isSessionOver) setState({ step: 'verify', problem: failure.message, address })
        else refetch() // the payout may have been claimed or reclaimed in the meantime
        return isSessionOver
      },
    },
  )
  // Without a reply, only the status tells whether the money is on its way.
  const isWaiting = state.step === 'claiming' || claim.busy || claim.isUnknown
  const { dataUpdatedAt } = useQuery({ ...query, ...(isWaiting && { refetchInterval: pollMs }) })

  const { setProblem } = claim
  useEffect(() => {
    const next = nextStep(state, payout, dataUpdatedAt)
    if (next === state) return
    if (next.step === 'withdraw' || next.step === 'verify') endRequest(payout.id)
    if (next.step === 'withdraw') setProblem(next.problem)
    // A transition leaves "Transferring" on the page until the receipt is loaded.
    startTransition(() => setState(next))
  }, [state, payout, dataUpdatedAt, setProblem])

  return { state, setState, claim, refetch }
}

function ClaimSteps(props: StepsProps) {
  const { accessToken, payout } = props
  const { state, setState, claim, refetch } = useSteps(props)

  // Loads the next steps while the address is typed: once the money has left, they must show even if the network is gone.
  useEffect(() => {
    if (state.step === 'withdraw') Promise.all([loadPending(), loadReceipt()]).catch(() => undefined)
  }, [state.step])

  const isWithdrawn = payout.status === 'WITHDRAWN'
  const [isOpen, setOpen] = useState(false)
  if (isOpen && isWithdrawn)
    return (
      <KeptMoney
        address={payout.withdrawnToAddress as Address}
        rpId={payout.passkeyDomain!}
        chain={payout.chain}
        payout={{ ...payout, accessToken }}
        onClose={() => setOpen(false)}
      />
    )
  const onOpened = () => setOpen(true)
  if (payout.status === 'CANCELLED' || payout.status === 'FAILED' || (isWithdrawn && !isOwnWithdrawal(payout)))
    return <Outcome payout={payout} onOpened={onOpened} />
  if (state.step === 'claiming' || payout.status === 'CLAIMING')
    return <ClaimPending payout={payout} isAccepted={state.step !== 'claiming' || state.known !== 'requested'} />
  if (isWithdrawn) return <Receipt payout={payout} accessToken={accessToken} onOpened={onOpened} />

  if (state.step === 'withdraw')
    return <Withdraw payout={payout} balance={state.verified.balance} address={state.address} claim={claim} />
  const { problem, address } = state.step === 'verify' ? state : {}
  return (
    <Verify
      payout={payout}
      accessToken={accessToken}
      problem={problem}
      onEnded={refetch}
      onVerified={(verified) => {
        keepSession(accessToken, verified)
        setState({ step: 'withdraw', verified, address })
      }}
    />
  )
}
