import { useQuery } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { useState } from 'react'
import { Controller, useForm } from 'react-hook-form'
import { emailProblem } from '#domain/email.ts'
import { formatUsdc } from '#domain/money.ts'
import { defaultExpiryDays, expiryDays } from '#domain/payoutExpiry.ts'
import { memoMax } from '#domain/sendRules.ts'
import { AmountInput } from '../../../components/AmountInput.tsx'
import { Field, Input, Select } from '../../../components/Field.tsx'
import { FormDialog } from '../../../components/FormDialog.tsx'
import { PayoutCreated } from '../../../components/PayoutCreated.tsx'
import { typedDecimal, typedMicro } from '../../../lib/amounts.ts'
import { cutAmount, formatAmount, formatDate } from '../../../lib/format.ts'
import { formResolver } from '../../../lib/formResolver.ts'
import { useSession } from '../../../lib/session.ts'
import { type CreateEscrowReply, type CreatePayoutInput, createPayout } from '../../../queries/payouts.ts'
import { canPay, walletLabel, walletsQuery } from '../../../queries/wallets.ts'

type Values = {
  sourceWalletId: string
  amount: string
  recipientEmail: string
  expiresInDays: string
  memo: string
  senderName: string
}

const dayMs = 86_400_000 // 24 hours

const resolver = formResolver<Values>((values) => ({
  sourceWalletId: values.sourceWalletId ? null : 'Please select a source wallet',
  amount: typedMicro(values.amount) ? null : 'Please enter a valid amount',
  recipientEmail: !values.recipientEmail.trim()
    ? 'Please enter an email address for the recipient'
    : emailProblem(values.recipientEmail)
      ? 'Invalid email'
      : null,
}))

export default function CreatePayoutDialog(props: { onClose: () => void }) {
  const { user } = useSession()
  const wallets = useQuery(walletsQuery)
  const usable = wallets.data?.filter(canPay) ?? []
  const [created, setCreated] = useState<{ payout: CreateEscrowReply; input: CreatePayoutInput } | null>(null)
  const form = useForm<Values>({
    resolver,
    defaultValues: {
      sourceWalletId: '',
      amount: '',
      recipientEmail: '',
      expiresInDays: String(defaultExpiryDays),
      memo: '',
      senderName: user?.name ?? '',
    },
  })
  const { errors, isSubmitting: busy } = form.formState
  useBlocker({ shouldBlockFn: () => busy, enableBeforeUnload: () => busy })

  if (created)
    return (
      <PayoutCreated
        payout={created.payout}
        amount={created.input.amount}
        recipient={created.input.recipientEmail ?? ''}
        onClose={props.onClose}
      />
    )

  const [amount, memo] = form.watch(['amount', 'memo'])
  const sum = typedMicro(amount)
  return (
    <FormDialog
      title="Create Payout"
      description="The recipient gets a link and a 6-digit code by email. You can take the payout back until it is claimed."
      form={form}
      onClose={props.onClose}
      submit={[sum ? `Send ${formatAmount(formatUsdc(sum))} USDC` : 'Create Payout', 'Creating...']}
      fallback="Failed to create payout"
      unknown="We do not know whether the payout was accepted. Trying again is safe: it is paid at most once."
      send={async (values, idempotencyKey) => {
        const input = inputOf(values)
        setCreated({ payout: await createPayout(input, idempotencyKey), input })
      }}
    >
      <Field
        label="Source wallet"
        error={
          errors.sourceWalletId?.message ??
          (wallets.data && usable.length === 0 ? 'No wallets found. Please create a wallet first.' : undefined)
        }
      >
        {(control) => (
          <Select {...control} {...form.register('sourceWalletId')}>
            <option value="">Select a wallet</option>
            {usable.map((wallet) => (
              <option key={wallet.id} value={wallet.id}>
                {walletLabel(wallet)}
                {wallet.usdcBalance ? ` ($${cutAmount(wallet.usdcBalance.balance)})` : ''}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Controller
        control={form.control}
        name="amount"
        render={({ field }) => (
          <Field label="Amount" error={errors.amount?.message}>
            {(control) => <AmountInput {...control} {...field} />}
          </Field>
        )}
      />
      <Field label="Recipient email" error={errors.recipientEmail?.message}>
        {(control) => (
          <Input
            {...control}
            {...form.register('recipientEmail')}
            type="email"
            placeholder="name@example.com"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
        )}
      </Field>
      <Field label="Expires" hint="Unclaimed money is returned to the wallet automatically.">
        {(control) => (
          <Select {...control} {...form.register('expiresInDays')}>
            {expiryDays.map((days) => (
              <option key={days} value={days}>
                In {days === 1 ? '1 day' : `${days} days`} ({formatDate(Date.now() + days * dayMs)})
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label="Memo" aside={`${memo.length}/${memoMax}`}>
        {(control) => (
          <Input
            {...control}
            {...form.register('memo')}
            maxLength={memoMax}
            autoComplete="off"
            placeholder="Optional"
          />
        )}
      </Field>
      <Field label="Sender name" aside="Optional" hint="Shown to the recipient.">
        {(control) => <Input {...control} {...form.register('senderName')} maxLength={60} autoComplete="off" />}
      </Field>
    </FormDialog>
  )
}

const inputOf = (values: Values): CreatePayoutInput => ({
  sourceWalletId: values.sourceWalletId,
  amount: typedDecimal(values.amount),
  recipientEmail: values.recipientEmail.trim(),
  expiresInDays: expiryDays.find((days) => String(days) === values.expiresInDays) ?? defaultExpiryDays,
  ...(values.memo.trim() ? { memo: values.memo.trim() } : {}),
  ...(values.senderName.trim() ? { senderName: values.senderName.trim() } : {}),
})
