import { useQuery } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useState } from 'react'
import { slowDeployMs } from '#domain/walletRules.ts'
import { Button } from '#web/components/Button.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { ErrorBox, Field, Input, Select } from '#web/components/Field.tsx'
import { RadioChoice } from '#web/components/RadioChoice.tsx'
import { networkName } from '#web/lib/networks.ts'
import { useAction } from '#web/lib/useAction.ts'
import { useElapsed } from '#web/lib/useElapsed.ts'
import { usePrimaryChain } from '#web/queries/config.ts'
import { deployWallet, type Wallet, walletsQuery } from '#web/queries/wallets.ts'
import { LazyOwnerWallet } from '#web/wallet/lazyWallet.tsx'
import { Deployed, Deploying } from './Deployed.tsx'
import { creationProblem } from './deployment.ts'
import { KeypairStep } from './KeypairStep.tsx'

const pollMs = 1_500 // 1.5 seconds
const failedText = 'Failed to deploy wallet. Please try again or contact support.'

type Keypair = { phrase: string; ownerAddress: string }
/** A key generated here (with its phrase), or the connected wallet's key. */
type Owner = Keypair | { phrase: null; ownerAddress: string }
type Step =
  | { step: 'config'; error?: string }
  | { step: 'keypair'; keypair: Keypair | null; error?: string }
  | { step: 'deploying'; owner: Owner; walletId: string | null }
  | { step: 'success'; ownerAddress: string; wallet: Wallet }

const CreationFailed = (props: { reason: string }) => (
  <ErrorBox>
    <strong className="block font-semibold">Creation Failed</strong>
    {props.reason}
  </ErrorBox>
)

/** Deploys a smart wallet in steps: name and owner, the key generated in this browser, deployment, address check. */
export default function DeployDialog(props: { onClose: () => void }) {
  const [state, setState] = useState<Step>({ step: 'config' })
  const [name, setName] = useState('')
  const [ownWallet, setOwnWallet] = useState(false)
  const [walletAddress, setWalletAddress] = useState<string | null>(null)
  const primaryChain = usePrimaryChain()
  const busy = state.step === 'deploying'
  const slow = useElapsed(slowDeployMs, busy)
  useBlocker({
    shouldBlockFn: () => busy && !slow,
    enableBeforeUnload: () => (busy && !slow) || state.step === 'keypair',
  })

  const wallets = useQuery({ ...walletsQuery, enabled: busy, refetchInterval: busy ? pollMs : false })
  const wallet = state.step === 'deploying' ? wallets.data?.find(({ id }) => id === state.walletId) : undefined

  const failWith = (owner: Owner, error: string) =>
    setState(owner.phrase === null ? { step: 'config', error } : { step: 'keypair', keypair: owner, error })
  const request = useAction(
    ({ ownerAddress }: Owner, idempotencyKey) => {
      const input = { ownerAddress, chain: primaryChain, ...(name.trim() ? { name: name.trim() } : {}) }
      return deployWallet(input, idempotencyKey)
    },
    {
      fallback: (error) => creationProblem(error, failedText),
      onDone: ({ id }, owner) => setState({ step: 'deploying', owner, walletId: id }),
      onFailed: (_, message, owner) => void failWith(owner, message),
    },
  )

  const onFailed = useEffectEvent((owner: Owner) => {
    request.renewKey()
    failWith(owner, failedText)
  })

  useEffect(() => {
    if (state.step !== 'deploying' || !wallet) return
    if (wallet.status === 'active') setState({ step: 'success', ownerAddress: state.owner.ownerAddress, wallet })
    if (wallet.status === 'failed') onFailed(state.owner)
  }, [state, wallet])

  function deploy(owner: Owner) {
    setState({ step: 'deploying', owner, walletId: null })
    request.start(owner)
  }

  switch (state.step) {
    case 'config':
      return (
        <Dialog
          title="Deploy Smart Wallet"
          description={`A wallet on ${networkName(primaryChain)} that you own. Bursar covers the network fee.`}
          onClose={props.onClose}
          onSubmit={(event) => {
            event.preventDefault()
            if (!ownWallet) setState({ step: 'keypair', keypair: null })
            else if (walletAddress) deploy({ phrase: null, ownerAddress: walletAddress })
          }}
          cancel="Cancel"
          footer={
            <Button type="submit" disabled={ownWallet && !walletAddress}>
              {ownWallet ? 'Deploy Wallet' : 'Continue'}
            </Button>
          }
        >
          <div className="space-y-4">
            {state.error && <CreationFailed reason={state.error} />}
            <Field label="Wallet name" aside="Optional">
              {(control) => (
                <Input
                  {...control}
                  name="name"
                  maxLength={60}
                  placeholder="Operations"
                  value={name}
                  onChange={(event) => setName(event.target.value)}
                />
              )}
            </Field>
            <Field label="Network" hint={`Smart wallets are deployed on ${networkName(primaryChain)}.`}>
              {(control) => (
                <Select {...control} value={primaryChain} disabled>
                  <option value={primaryChain}>{networkName(primaryChain)}</option>
                </Select>
              )}
            </Field>
            <OwnerChoice ownWallet={ownWallet} onChange={setOwnWallet} onAddress={setWalletAddress} />
          </div>
        </Dialog>
      )
    case 'keypair':
      return (
        <KeypairStep
          keypair={state.keypair}
          error={state.error && <CreationFailed reason={state.error} />}
          onKeypair={(keypair) => setState({ step: 'keypair', keypair })}
          onDone={deploy}
          onClose={props.onClose}
        />
      )
    case 'deploying':
      return <Deploying wallet={wallet ?? null} slow={slow} onLeave={props.onClose} />
    case 'success':
      return <Deployed wallet={state.wallet} ownerAddress={state.ownerAddress} onClose={props.onClose} />
  }
}

/** Chooses the key that owns the new wallet: one generated here, or the connected wallet's. */
function OwnerChoice(props: {
  ownWallet: boolean
  onChange: (ownWallet: boolean) => void
  onAddress: (address: string | null) => void
}) {
  const choices = [
    { ownWallet: false, label: 'Generate a new recovery phrase', hint: 'Twelve words, generated in this browser.' },
    {
      ownWallet: true,
      label: 'Use my connected wallet',
      hint: 'Its account becomes the owner. There is no new phrase to keep.',
    },
  ]
  return (
    <fieldset>
      <legend className="mb-1 font-medium text-small">Owner key</legend>
      {choices.map(({ ownWallet, label, hint }) => (
        <RadioChoice
          key={label}
          name="owner"
          label={label}
          hint={hint}
          checked={props.ownWallet === ownWallet}
          onChoose={() => props.onChange(ownWallet)}
        />
      ))}
      {props.ownWallet && (
        <div className="mt-2 space-y-3">
          <LazyOwnerWallet onAddress={props.onAddress} />
          <p className="text-muted text-small">
            Only this key can withdraw everything, end our access permanently, or reclaim payouts without us. It must be
            an ordinary account, not a smart wallet.
          </p>
        </div>
      )}
    </fieldset>
  )
}
