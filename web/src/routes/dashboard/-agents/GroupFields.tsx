import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Controller, type UseFormReturn } from 'react-hook-form'
import { visibleScopes } from '#domain/scopes.ts'
import { MoneyChain } from '#web/components/Amount.tsx'
import { AmountInput } from '#web/components/AmountInput.tsx'
import { Checkbox, Field, Input, Select } from '#web/components/Field.tsx'
import { scopeWords } from '#web/lib/scopes.ts'
import { useSms } from '#web/queries/config.ts'
import { canPay, walletLabel, walletName, walletsQuery } from '#web/queries/wallets.ts'
import { ApprovalFields } from './ApprovalFields.tsx'
import { ContactChoices } from './ContactChoices.tsx'
import { contactScope, type GroupValues } from './groupForm.ts'
import { LimitFields } from './LimitFields.tsx'

/** The fields of a policy group. `wallet` is an existing group's wallet, which can't be changed. */
export function GroupFields(props: {
  form: UseFormReturn<GroupValues>
  wallet?: { name: string | null }
  budgetHint: string
}) {
  const { form } = props
  const { errors } = form.formState
  const sms = useSms()
  const byContact = form.watch('scopes').includes(contactScope)
  const walletId = form.watch('walletId')
  const chain = useQuery(walletsQuery).data?.find(({ id }) => id === walletId)?.chain
  return (
    <MoneyChain value={chain}>
      <Field label="Policy name" error={errors.name?.message}>
        {(control) => (
          <Input
            {...control}
            {...form.register('name')}
            maxLength={60}
            placeholder="Research agents"
            autoComplete="off"
          />
        )}
      </Field>
      <Controller
        control={form.control}
        name="budget"
        render={({ field }) => (
          <Field label="Budget limit" error={errors.budget?.message} hint={props.budgetHint}>
            {(control) => <AmountInput {...control} {...field} />}
          </Field>
        )}
      />
      {props.wallet ? (
        <Field label="Wallet" hint="Wallet cannot be changed after creation">
          {(control) => <Input {...control} value={walletName(props.wallet!)} disabled readOnly />}
        </Field>
      ) : (
        <WalletChoice form={form} />
      )}
      <fieldset>
        <legend className="mb-1 font-medium text-small">Permissions</legend>
        {visibleScopes.map((scope) => (
          <Checkbox
            key={scope}
            value={scope}
            {...form.register('scopes')}
            label={scopeWords[scope].name}
            {...(scope === 'sms_payments:write' && !sms
              ? { disabled: true, hint: 'Text messages are not available here' }
              : { hint: scopeWords[scope].hint })}
          />
        ))}
        <p className="mt-1 text-muted text-small">Everything else is refused.</p>
      </fieldset>
      {byContact && (
        <fieldset>
          <legend className="mb-1 font-medium text-small">Whitelisted contacts</legend>
          <Controller
            control={form.control}
            name="contactIds"
            render={({ field: { value, onChange } }) => <ContactChoices value={value} onChange={onChange} />}
          />
        </fieldset>
      )}
      <LimitFields form={form} />
      <ApprovalFields form={form} />
    </MoneyChain>
  )
}

function WalletChoice(props: { form: UseFormReturn<GroupValues> }) {
  const wallets = useQuery(walletsQuery)
  const usable = wallets.data?.filter(canPay) ?? []
  const { getValues, setValue } = props.form
  const onlyId = usable.length === 1 ? usable[0]!.id : undefined
  useEffect(() => {
    if (onlyId && !getValues('walletId')) setValue('walletId', onlyId)
  }, [onlyId, getValues, setValue])
  return (
    <Field
      label="Wallet"
      error={props.form.formState.errors.walletId?.message}
      hint={
        wallets.data && usable.length === 0
          ? 'No wallets found. Please create a wallet first.'
          : 'Wallet cannot be changed after creation'
      }
    >
      {(control) => (
        <Select {...control} {...props.form.register('walletId')}>
          <option value="">Select a wallet</option>
          {usable.map((wallet) => (
            <option key={wallet.id} value={wallet.id}>
              {walletLabel(wallet)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}
