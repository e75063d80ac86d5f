import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { formatUsdc } from '#domain/money.ts'
import { chainIdOf } from '#domain/networks.ts'
import { problemIn, valueIn } from '#domain/readers/read.ts'
import { AddressBox } from '#web/components/Address.tsx'
import { Fact } from '#web/components/Card.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { formResolver, TextField } from '#web/components/forms.tsx'
import { GatedButton } from '#web/components/GatedButton.tsx'
import { chainConfig } from '#web/lib/chainConfig.ts'
import { formatAmount } from '#web/lib/format.ts'
import { networkWarning, unitOf } from '#web/lib/networks.ts'
import { withdrawalAddress } from '#web/lib/withdrawalAddress.ts'
import { configQuery } from '#web/queries/config.ts'
import { ownerSigningContext, walletName } from '#web/queries/wallets.ts'
import type { WalletDialogProps } from '../walletSearch.ts'
import { ActionProgress } from './ActionProgress.tsx'
import { OwnerDialog, useOwnerAction } from './OwnerKey.tsx'

const words = {
  running: 'Withdrawing everything',
  done: 'Everything withdrawn',
  failed: 'Nothing was withdrawn',
  after: 'The USDC is at the address you named.',
}

type Step = { step: 'address' } | { step: 'sign' } | { step: 'follow'; actionId: string }
type Values = { to: string }

/** Withdraws all USDC to an address with the owner's signature. The recovery page does the same without our servers. */
export default function ExitDialog(props: WalletDialogProps) {
  const { wallet, onClose } = props
  const [state, setState] = useState<Step>({ step: 'address' })
  const destination = (text: string) => withdrawalAddress(text, wallet.address, chainIdOf(wallet.chain))
  const form = useForm<Values>({
    resolver: formResolver<Values>(({ to }) => ({ to: problemIn(destination(to)) })),
    reValidateMode: 'onSubmit',
    defaultValues: { to: '' },
  })
  const to = valueIn(destination(form.watch('to'))) ?? ''
  const config = useQuery(configQuery).data
  const context = useQuery({
    queryKey: ['owner-signing-context', wallet.id],
    queryFn: () => ownerSigningContext(wallet.id),
    staleTime: 0,
    gcTime: 0,
  })
  const balance = context.data ? formatUsdc(BigInt(context.data.balance)) : wallet.usdcBalance?.balance
  const amount = balance === undefined ? 'everything' : `${formatAmount(balance)} ${unitOf(wallet.chain)}`
  const empty = balance === '0'

  const owner = useOwnerAction({
    wallet,
    failed: 'Failed to withdraw. Please try again or contact support.',
    onStarted: (actionId) => setState({ step: 'follow', actionId }),
    async prepare() {
      const latest = await ownerSigningContext(wallet.id)
      if (context.data && latest.balance !== context.data.balance) {
        await context.refetch()
        throw new Error('The balance has changed. Check the new amount, then sign again.')
      }
      const token = chainConfig(config!, wallet.chain).contracts.usdc
      return {
        context: latest,
        action: { kind: 'withdraw', to, amount: latest.balance },
        message: { token, to, amount: BigInt(latest.balance) },
      }
    },
  })

  if (state.step === 'follow')
    return <ActionProgress wallet={wallet} actionId={state.actionId} words={words} onClose={onClose} />

  if (state.step === 'sign')
    return (
      <OwnerDialog
        title={`Withdraw ${amount}`}
        description={`From ${walletName(wallet)}, with your owner key.`}
        onClose={onClose}
        owner={owner}
        sign={`Sign and withdraw ${amount}`}
        disabled={!config}
        onBack={() => setState({ step: 'address' })}
      >
        <div>
          <p className="mb-1 text-muted text-small">To</p>
          <AddressBox address={to} />
        </div>
        <dl className="divide-y divide-hairline">
          <Fact name="Amount">{amount}</Fact>
          <Fact name="Network">{networkWarning(wallet.chain)}</Fact>
          <Fact name="Network fee">Covered</Fact>
          <Fact name="Can it be undone?">No. Check the address four characters at a time.</Fact>
        </dl>
      </OwnerDialog>
    )

  return (
    <Dialog
      title="Withdraw everything"
      description="Moves all USDC of this wallet to an address of yours. Requires your owner key; the network fee is covered."
      onClose={onClose}
      onSubmit={form.handleSubmit(() => setState({ step: 'sign' }))}
      cancel="Cancel"
      footer={
        <GatedButton type="submit" missing={empty ? 'This wallet holds no USDC.' : null}>
          Review
        </GatedButton>
      }
    >
      <div className="space-y-4">
        {empty && <p className="text-muted">This wallet holds no USDC.</p>}
        <TextField
          form={form}
          name="to"
          label="To address"
          hint="On the same network. An exchange’s deposit address works too."
          options={{ onChange: () => form.clearErrors() }}
          placeholder="0x…"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          className="font-mono text-small"
        />
        {wallet.held !== '0' && (
          <p className="text-amber text-small">
            ${formatAmount(wallet.held)} is in payments in progress. To stop them first, revoke the session.
          </p>
        )}
        {wallet.inPayouts !== '0' && (
          <p className="text-muted text-small">
            ${formatAmount(wallet.inPayouts)} is in unclaimed payouts. Reclaim them under Payouts, or later with the
            recovery page.
          </p>
        )}
      </div>
    </Dialog>
  )
}
