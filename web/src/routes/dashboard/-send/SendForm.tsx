import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { useEffect } from 'react'
import { Controller, type UseFormReturn, useForm } from 'react-hook-form'
import { expiryDays } from '#domain/payment.ts'
import { noteNames, paymentNotes } from '#domain/paymentNotes.ts'
import { cleanText, lengthOf } from '#domain/readers/text.ts'
import { methodOf, type SendValues } from '#domain/sendRules.ts'
import { dayMs } from '#domain/time.ts'
import { MoneyChain } from '#web/components/Amount.tsx'
import { AmountInput } from '#web/components/AmountInput.tsx'
import { Button } from '#web/components/Button.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { Field } from '#web/components/Field.tsx'
import { formResolver, SelectField, TextField } from '#web/components/forms.tsx'
import { fieldText } from '#web/lib/amounts.ts'
import { formatDate, plural } from '#web/lib/format.ts'
import { useDraft } from '#web/lib/useDraft.ts'
import { contactQuery } from '#web/queries/contacts.ts'
import { canPay, spendableText, type Wallet, walletName, walletsQuery } from '#web/queries/wallets.ts'
import { isPayout, type Payment, paymentOf } from './payment.ts'
import type { Purpose } from './purposes.ts'
import { RecipientFields } from './RecipientFields.tsx'
import { WalletField } from './WalletField.tsx'

const arrivingMs = 3_000 // 3 seconds

/** Asks for wallet, recipient, amount and notes and, for a payout, its expiry and the sender's name. */
export function SendForm(props: {
  purpose: Purpose
  /** Null if it is chosen here. */
  wallet: Wallet | null
  values: SendValues
  /** What the form was opened for. */
  subject: string
  /** Why the server refused the last attempt. */
  problem: { field: keyof SendValues; message: string } | null
  onReview: (values: SendValues, payment: Payment) => Promise<void>
  onClose: () => void
}) {
  const { purpose, problem } = props
  const wallets = useQuery({
    ...walletsQuery,
    // An arriving amount can be spent a few seconds later.
    refetchInterval: ({ state }) => (state.data?.some(isArriving) ? arrivingMs : false),
  })
  const walletOf = ({ walletId }: SendValues) =>
    wallets.data?.find(({ id }) => id === (props.wallet?.id ?? walletId)) ?? props.wallet ?? undefined
  const form = useForm<SendValues>({
    defaultValues: props.values,
    resolver: formResolver<SendValues>((values) => {
      const wallet = walletOf(values)
      return purpose.problems(values, wallet?.spendable ?? null, wallet?.chain)
    }),
  })
  useDraft(purpose.title, props.subject, form)
  // Read here, because the dialog's fields mount after the effect below, which may set the first error.
  const { errors, isSubmitting } = form.formState
  const values = form.watch()
  const { contactId } = values
  const contact = useQuery(contactQuery(contactId || undefined)).data ?? undefined
  const { setError, setValue, getValues } = form
  useEffect(() => {
    if (problem) setError(problem.field, { message: problem.message }, { shouldFocus: true })
  }, [problem, setError])

  const [only, ...others] = wallets.data?.filter(canPay) ?? []
  const onlyId = props.wallet === null && others.length === 0 ? only?.id : undefined
  useEffect(() => {
    if (onlyId && !getValues('walletId')) setValue('walletId', onlyId)
  }, [onlyId, getValues, setValue])

  const submit = form.handleSubmit(async (next) => {
    // Contact and wallet may have been deleted in another tab.
    if (next.to === 'contact' && !contact) return form.setError('contactId', { message: 'Please select a contact' })
    const wallet = walletOf(next)
    if (!wallet) return form.setError('walletId', { message: 'Please select a source wallet' })
    await props.onReview(next, paymentOf(next, wallet, contact))
  })

  return (
    <Dialog
      title={purpose.title}
      description={props.wallet && `From ${walletName(props.wallet)}`}
      onClose={props.onClose}
      onSubmit={submit}
      cancel="Cancel"
      footer={
        <Button type="submit" busy={isSubmitting} disabled={props.wallet === null && wallets.isPending}>
          Review
        </Button>
      }
    >
      <div className="space-y-4" inert={isSubmitting}>
        {props.wallet === null && <WalletField form={form} wallets={wallets} />}
        <RecipientFields form={form} ways={purpose.tabs} contact={contact} />
        <AmountField form={form} wallet={walletOf(values)} error={errors.amount?.message} />
        {noteNames.map((name) => (
          <TextField
            key={name}
            form={form}
            name={name}
            label={paymentNotes[name].label}
            aside={<Length of={values[name]} max={paymentNotes[name].max} />}
            autoComplete="off"
            placeholder="Optional"
          />
        ))}
        {isPayout({ method: methodOf(values) }) && <PayoutFields form={form} />}
      </div>
    </Dialog>
  )
}

function Length({ of: text, max }: { of: string; max: number }) {
  const length = lengthOf(cleanText(text))
  return (
    <span className={length > max ? 'text-red' : ''}>
      {length}/{max}
    </span>
  )
}

const isArriving = ({ spendable }: Wallet) => spendable !== null && spendable.arriving !== '0'

/** The amount field, with what the wallet can pay now. `wallet` is undefined until one is chosen. */
function AmountField(props: {
  form: UseFormReturn<SendValues>
  wallet: Wallet | undefined
  error: string | undefined
}) {
  const { form, wallet } = props
  const spendable = wallet?.spendable
  return (
    <Controller
      control={form.control}
      name="amount"
      render={({ field }) => (
        <Field
          label="Amount"
          error={props.error}
          // Both keep their place before a wallet is chosen, so that choosing one moves nothing.
          hint={wallet ? <span data-testid="spendable">{spendableText(wallet)}</span> : '\u00a0'}
          aside={
            <button
              type="button"
              className={clsx('min-h-6 rounded-sm text-green underline underline-offset-3', !spendable && 'invisible')}
              onClick={() => {
                field.onChange(fieldText(spendable?.now))
                form.clearErrors('amount')
              }}
            >
              Use max balance
            </button>
          }
        >
          {(control) => (
            <MoneyChain value={wallet?.chain}>
              <AmountInput {...control} {...field} />
            </MoneyChain>
          )}
        </Field>
      )}
    />
  )
}

/** The fields that only a payout has: its expiry, and the sender's name as shown to the recipient. */
function PayoutFields(props: { form: UseFormReturn<SendValues> }) {
  return (
    <>
      <SelectField
        form={props.form}
        name="expiresInDays"
        label="Expires"
        hint="Unclaimed money is returned to the wallet automatically."
        choices={expiryDays.map((days) => [
          String(days),
          `In ${plural(days, 'day')} (${formatDate(Date.now() + days * dayMs)})`,
        ])}
      />
      <TextField
        form={props.form}
        name="senderName"
        label="Sender name"
        aside="Optional"
        hint="Shown to the recipient."
        autoComplete="off"
      />
    </>
  )
}
