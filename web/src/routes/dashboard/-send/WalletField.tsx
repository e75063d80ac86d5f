import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Path, UseFormReturn } from 'react-hook-form'
import { Button } from '#web/components/Button.tsx'
import { Field } from '#web/components/Field.tsx'
import { linkClass } from '#web/components/Links.tsx'
import { Notice } from '#web/components/Notice.tsx'
import { Select } from '#web/components/Select.tsx'
import { messageOf } from '#web/lib/apiError.ts'
import { cutAmount } from '#web/lib/format.ts'
import { blockedBecause, type Wallet, walletLabel, walletName } from '#web/queries/wallets.ts'

/** Selects the wallet that pays. Wallets that can't pay now are listed with the reason. */
export function WalletField<T extends { walletId: string }>(props: {
  form: UseFormReturn<T>
  wallets: UseQueryResult<Wallet[]>
}) {
  const { register, getFieldState, formState } = props.form
  const name = 'walletId' as Path<T>
  const { data: wallets, error, refetch } = props.wallets
  if (error && !wallets)
    return (
      <div role="alert" className="flex flex-wrap items-center justify-between gap-3 text-red text-small">
        {messageOf(error, 'Failed to load wallets')}
        <Button look="secondary" onClick={() => refetch()}>
          Try again
        </Button>
      </div>
    )
  return (
    <>
      {wallets && <NoWalletNotice wallets={wallets} />}
      <Field label="Source wallet" error={getFieldState(name, formState).error?.message}>
        {(control) => (
          // A new element once there are choices: a list that does not contain the chosen wallet yet would make the form forget it.
          <Select
            key={wallets ? 'loaded' : 'loading'}
            {...control}
            {...register(name)}
            disabled={!wallets}
            none={wallets ? 'Select a wallet' : 'Loading wallets...'}
            choices={payingWallets(wallets ?? [])}
          />
        )}
      </Field>
    </>
  )
}

/** Choices of the wallet that pays, each with what it has or why it can't pay. */
export const payingWallets = (wallets: Wallet[]) =>
  wallets.map((wallet) => {
    const blocked = blockedBecause(wallet)
    return [wallet.id, `${walletLabel(wallet)} (${blocked ?? fundsOf(wallet)})`, blocked !== null] as const
  })

const fundsOf = ({ spendable }: Wallet) =>
  spendable ? `$${cutAmount(spendable.now)} available` : 'balance unavailable'

/** Says why no wallet can pay. Renders nothing if one can. */
export function NoWalletNotice(props: { wallets: Wallet[] }) {
  const { wallets } = props
  const blocked = wallets.flatMap((wallet) => {
    const why = blockedBecause(wallet)
    return why === null ? [] : [`${walletName(wallet)} is ${why}`]
  })
  if (blocked.length < wallets.length) return null
  const none = wallets.length === 0
  return (
    <Notice tone="info">
      {none ? 'No wallets found. Please create a wallet first.' : `No wallet can pay now: ${blocked.join('; ')}.`}{' '}
      <Link to="/dashboard/wallets" search={none ? { deploy: true } : {}} className={linkClass}>
        {none ? 'Create a wallet' : 'Open wallets'}
      </Link>
    </Notice>
  )
}
