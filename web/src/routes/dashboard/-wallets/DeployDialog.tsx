import { useQuery } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { CircleAlert, CircleCheck, LoaderCircle } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import { Controller, type UseFormReturn, useForm } from 'react-hook-form'
import { problemIn } from '#domain/readers/read.ts'
import { readText } from '#domain/readers/text.ts'
import { firstLimit } from '#domain/sessionKey.ts'
import { walletName as nameRule, slowDeployMs } from '#domain/walletRules.ts'
import type { PublicConfig } from '#schemas/account.ts'
import { AddressBox } from '#web/components/Address.tsx'
import { Button } from '#web/components/Button.tsx'
import { Fact } from '#web/components/Card.tsx'
import { CopyButton } from '#web/components/CopyButton.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { ErrorBox, Field } from '#web/components/Field.tsx'
import { FormDialog, formResolver, TextField } from '#web/components/forms.tsx'
import { RadioChoices } from '#web/components/RadioChoices.tsx'
import { Select } from '#web/components/Select.tsx'
import { Timeline } from '#web/components/Timeline.tsx'
import { dollars } from '#web/lib/amounts.ts'
import { chainConfig, contractsOfWallet } from '#web/lib/chainConfig.ts'
import { networkName } from '#web/lib/networks.ts'
import { useAction } from '#web/lib/useAction.ts'
import { useElapsed } from '#web/lib/useElapsed.ts'
import { configQuery, usePrimaryChain } from '#web/queries/config.ts'
import { deployWallet, type Wallet, walletName, walletsQuery } from '#web/queries/wallets.ts'
import { LazyOwnerWallet } from '#web/wallet/lazyWallet.tsx'
import { whyNotDeployed } from './deployment.ts'
import { KeypairStep } from './KeypairStep.tsx'
import { AllowanceField } from './session/AllowanceField.tsx'
import { typedAllowance, typedAllowanceProblem } from './session/grant.ts'
import { creationProblem } from './walletProblems.ts'

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

/** `ownWallet`: the connected wallet's key owns the wallet, not one generated here. */
type Config = { name: string; allowance: string; ownWallet: boolean }

const resolver = formResolver<Config>(({ name, allowance }) => ({
  name: problemIn(readText(nameRule, name)),
  allowance: typedAllowanceProblem(allowance, firstLimit),
}))

const CreationFailed = (props: { reason: string }) => (
  <ErrorBox>
    <strong className="block font-semibold">Creation Failed</strong>
    {props.reason}
  </ErrorBox>
)

/**
 * Deploys a smart wallet in steps: name and owner, the key generated in this browser, deployment, address check.
 * `withNewKey` skips the first step. If `onFund` is set, adding funds to the wallet is what comes next.
 */
export default function DeployDialog(props: {
  onClose: () => void
  withNewKey?: boolean
  onFund?: (wallet: Wallet) => void
}) {
  const [state, setState] = useState<Step>(props.withNewKey ? { step: 'keypair', keypair: null } : { step: 'config' })
  const form = useForm<Config>({
    resolver,
    mode: 'onTouched',
    defaultValues: { name: '', allowance: '0', ownWallet: false },
  })
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
      const { name, allowance } = form.getValues()
      const input = { ownerAddress, chain: primaryChain, purchaseAllowance: typedAllowance(allowance) }
      return deployWallet({ ...input, ...(name.trim() ? { name: name.trim() } : {}) }, idempotencyKey)
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
        <ConfigForm
          form={form}
          error={state.error}
          onOwner={(address) => {
            if (address === null) setState({ step: 'keypair', keypair: null })
            else deploy({ phrase: null, ownerAddress: address })
          }}
          onClose={props.onClose}
        />
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
      return <Deploying owner={state.owner} wallet={wallet ?? null} slow={slow} onLeave={props.onClose} />
    case 'success':
      return <Deployed {...props} wallet={state.wallet} ownerAddress={state.ownerAddress} />
  }
}

/** `onOwner` gets the address of the connected wallet; null if the key is generated here. */
function ConfigForm(props: {
  form: UseFormReturn<Config>
  error: string | undefined
  onOwner: (address: string | null) => void
  onClose: () => void
}) {
  const { form, error } = props
  const network = networkName(usePrimaryChain())
  const ownWallet = form.watch('ownWallet')
  const [address, setAddress] = useState<string | null>(null)
  const [isAdvanced, setAdvanced] = useState(false)
  // A hidden field takes no focus.
  if (form.formState.errors.allowance && !isAdvanced) setAdvanced(true)
  const next = ownWallet ? 'Deploy Wallet' : 'Continue'
  return (
    <FormDialog
      title="Deploy Smart Wallet"
      subject={null}
      description={`A wallet on ${network} that you own. Bursar covers the network fee.`}
      form={form}
      onClose={props.onClose}
      submit={[next, next]}
      missing={ownWallet && !address ? 'Connect your wallet first.' : null}
      send={async () => props.onOwner(ownWallet ? address : null)}
      fallback={failedText}
    >
      {error && <CreationFailed reason={error} />}
      <TextField form={form} name="name" label="Wallet name" aside="Optional" placeholder="Operations" />
      <Field label="Network" hint={`Smart wallets are deployed on ${network}.`}>
        {(control) => <Select {...control} disabled choices={[['', network]]} />}
      </Field>
      <fieldset>
        <legend className="mb-1 font-medium text-small">Owner key</legend>
        <RadioChoices
          name="owner"
          choices={owners}
          value={ownWallet}
          onChange={(value) => form.setValue('ownWallet', value)}
        />
        {ownWallet && (
          <div className="mt-2 space-y-3">
            <LazyOwnerWallet onAddress={setAddress} />
            <p className="text-muted text-small">
              Only this key can withdraw everything, end our access permanently, or reclaim payouts without us. It must
              be an ordinary account, not a smart wallet.
            </p>
          </div>
        )}
      </fieldset>
      <details open={isAdvanced} onToggle={(event) => setAdvanced(event.currentTarget.open)}>
        <summary className="w-fit cursor-pointer rounded-sm font-medium text-muted text-small">Advanced</summary>
        <div className="mt-3">
          <Controller
            control={form.control}
            name="allowance"
            render={({ field, fieldState }) => (
              <AllowanceField
                {...field}
                aside={`Of the first ${dollars(firstLimit)}`}
                error={fieldState.error?.message}
              />
            )}
          />
        </div>
      </details>
    </FormDialog>
  )
}

const owners = [
  { value: false, label: 'Generate a new recovery phrase', hint: 'Twelve words, generated in this browser.' },
  {
    value: true,
    label: 'Use my connected wallet',
    hint: 'That account becomes the owner, so there is no recovery phrase to write down.',
  },
]

/** Shown while the wallet is deployed. `wallet` is null until the server replies. It can't be closed until `slow`. */
function Deploying(props: { owner: Owner; wallet: Wallet | null; slow: boolean; onLeave: () => void }) {
  const { owner, wallet, slow } = props
  const network = networkName(usePrimaryChain())
  const [startedAt] = useState(() => new Date().toISOString())
  const [sentAt, setSentAt] = useState<string | null>(null)
  if (wallet?.deploymentTxHash && !sentAt) setSentAt(new Date().toISOString())
  return (
    <Dialog
      title="Deploying your wallet"
      description={slow ? 'This takes longer than usual.' : 'This takes a few seconds. Please keep this page open.'}
      onClose={props.onLeave}
      closable={slow}
      footer={slow && <Button onClick={props.onLeave}>Continue in background</Button>}
    >
      <div role="status">
        <Timeline
          live
          steps={[
            {
              label: owner.phrase === null ? 'Owner key of your wallet chosen' : 'Owner key generated in this browser',
              at: startedAt,
            },
            { label: `Sent to ${network}`, at: sentAt },
            { label: `Confirmed on ${network}`, at: null },
          ]}
        />
        {slow && (
          <div className="mt-4 space-y-2">
            <p className="rounded-control bg-amber-tint px-3 py-2 text-amber text-small">{whyNotDeployed(wallet)}</p>
            <p className="text-muted text-small">
              {wallet
                ? 'You can leave: Bursar keeps trying, and the wallet is on the Wallets page, where you can also delete it. Keep your recovery phrase, and send nothing to its address before it is there.'
                : 'You can leave. If the wallet was created, it is on the Wallets page. Keep your recovery phrase.'}
            </p>
          </div>
        )}
      </div>
    </Dialog>
  )
}

/** The deployed wallet. This browser checks, without the server, that the address is derived from the owner key. */
function Deployed(props: {
  wallet: Wallet
  ownerAddress: string
  onClose: () => void
  onFund?: (wallet: Wallet) => void
}) {
  const { wallet, onFund } = props
  return (
    <Dialog
      title="Smart Wallet Created"
      description={`${walletName(wallet)} is ready on ${networkName(wallet.chain)}.`}
      onClose={props.onClose}
      {...(onFund && { cancel: 'Later' })}
      footer={
        onFund ? (
          <Button onClick={() => onFund(wallet)}>Add funds</Button>
        ) : (
          <>
            <CopyButton text={wallet.address} what="address" wide />
            <Button onClick={props.onClose}>Done</Button>
          </>
        )
      }
    >
      <p className="mb-1 text-muted text-small">Wallet address</p>
      <div className="mb-3">
        <AddressBox address={wallet.address} />
      </div>
      <AddressCheck wallet={wallet} ownerAddress={props.ownerAddress} />
      <dl className="mt-3 divide-y divide-hairline">
        <Fact name="Owner">
          <span translate="no" className="break-all font-mono text-small">
            {props.ownerAddress}
          </span>
        </Fact>
        <Fact name="Session key">
          <span translate="no" className="break-all font-mono text-small">
            {wallet.sessionKeyAddress}
          </span>
        </Fact>
      </dl>
    </Dialog>
  )
}

/** The address that the factory derives from this owner and session, computed in the browser. */
async function expectedAddress(config: PublicConfig, wallet: Wallet, ownerAddress: string): Promise<string> {
  const { walletAddress } = await import('#chain/addresses.ts')
  type Hex = `0x${string}`
  const contracts = contractsOfWallet(chainConfig(config, wallet.chain), wallet)
  if (!contracts) throw new Error(`contract set ${wallet.contractSet} is not known here`)
  const { factory, walletImplementation, provider } = contracts
  return walletAddress(
    { factory: factory as Hex, walletImplementation: walletImplementation as Hex, provider: provider as Hex },
    {
      owner: ownerAddress as Hex,
      salt: wallet.salt as Hex,
      sessionKey: wallet.sessionKeyAddress as Hex,
      limit: BigInt(wallet.spendingLimit),
      purchaseAllowance: wallet.purchaseAllowance,
      validUntil: wallet.validUntil,
    },
  )
}

function AddressCheck(props: { wallet: Wallet; ownerAddress: string }) {
  const { wallet, ownerAddress } = props
  const config = useQuery(configQuery).data
  const { data: expected, isError } = useQuery({
    queryKey: ['wallet-address', wallet.id, ownerAddress],
    queryFn: () => expectedAddress(config!, wallet, ownerAddress),
    enabled: config !== undefined,
  })
  if (isError) return <p className="text-amber text-small">This browser could not check the address.</p>
  if (!expected)
    return (
      <p className="flex items-center gap-2 text-muted text-small">
        <LoaderCircle aria-hidden="true" className="size-4 animate-spin" />
        Checking the address in this browser
      </p>
    )
  if (expected.toLowerCase() !== wallet.address.toLowerCase())
    return (
      <p role="alert" className="flex items-start gap-2 rounded-control bg-red-tint px-3 py-2 text-red text-small">
        <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
        This address does not match your owner key. Do not send money to it, and contact support.
      </p>
    )
  return (
    <p data-testid="address-matches" className="flex items-start gap-2 text-green text-small">
      <CircleCheck aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      Address verified: your browser computed the same address from your owner key and the factory contract.
    </p>
  )
}
