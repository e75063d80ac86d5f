import { useForm } from 'react-hook-form'
import { walletNameProblem } from '#domain/walletRules.ts'
import { Field, Input } from '#web/components/Field.tsx'
import { FormDialog } from '#web/components/FormDialog.tsx'
import { formResolver } from '#web/lib/formResolver.ts'
import { refreshWallets, renameWallet } from '#web/queries/wallets.ts'
import type { WalletDialogProps } from './walletDialog.ts'

type Values = { name: string }
const resolver = formResolver<Values>(({ name }) => ({ name: walletNameProblem(name.trim()) }))

export default function RenameDialog(props: WalletDialogProps) {
  const { wallet } = props
  const form = useForm<Values>({ resolver, defaultValues: { name: wallet.name ?? '' } })
  return (
    <FormDialog
      title="Rename Wallet"
      form={form}
      onClose={props.onClose}
      submit={['Rename Wallet', 'Renaming...']}
      send={async ({ name }) => {
        await renameWallet(wallet.id, name.trim() || null)
        await refreshWallets()
        props.onClose()
      }}
      fallback="Failed to rename wallet"
    >
      <Field
        label="Wallet name"
        error={form.formState.errors.name?.message}
        hint="Leave it empty to clear the name. The wallet is then shown as “Unnamed Wallet”."
      >
        {(control) => <Input {...control} {...form.register('name')} autoComplete="off" placeholder="Unnamed Wallet" />}
      </Field>
    </FormDialog>
  )
}
