import { Tabs } from '@base-ui/react/tabs'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Controller, type UseFormReturn, useForm } from 'react-hook-form'
import { defaultExpiryDays } from '#domain/payoutExpiry.ts'
import { type ContactMethod, memoMax, type SendValues, sendProblems } from '#domain/sendRules.ts'
import { AmountInput } from '../../../components/AmountInput.tsx'
import { Button } from '../../../components/Button.tsx'
import { Dialog } from '../../../components/Dialog.tsx'
import { Field, Input } from '../../../components/Field.tsx'
import { shortAddress } from '../../../lib/address.ts'
import { formatAmount } from '../../../lib/format.ts'
import { formResolver } from '../../../lib/formResolver.ts'
import { useSms } from '../../../queries/config.ts'
import { type Contact, contactsQuery } from '../../../queries/contacts.ts'
import { type Wallet, walletName } from '../../../queries/wallets.ts'
import { ContactPicker } from './ContactPicker.tsx'
import { methodsOf, type Payment, paymentOf, spendable } from './payment.ts'

type Form = UseFormReturn<SendValues>

/** Amount, recipient and memo. */
export function SendForm(props: {
  wallet: Wallet
  values: SendValues
  /** Why the server refused the last attempt. */
  problem: { field: keyof SendValues; message: string } | null
  onReview: (values: SendValues, payment: Payment) => Promise<void>
  onClose: () => void
}) {
  const { problem } = props
  const available = spendable(props.wallet)
  const contacts = useQuery(contactsQuery).data ?? []
  const sms = useSms()
  const form = useForm<SendValues>({
    defaultValues: props.values,
    resolver: formResolver<SendValues>((values) => sendProblems(values, available)),
  })
  const { errors, isSubmitting } = form.formState
  const [to, contactId, memo] = form.watch(['to', 'contactId', 'memo'])
  const contact = contacts.find((one) => one.id === contactId)
  const { setError } = form
  useEffect(() => {
    if (problem) setError(problem.field, { message: problem.message }, { shouldFocus: true })
  }, [problem, setError])

  const submit = form.handleSubmit(async (values) => {
    // The contact may have been deleted in another tab.
    if (values.to === 'contact' && !contact) return form.setError('contactId', { message: 'Please select a contact' })
    await props.onReview(values, paymentOf(values, contact))
  })
  const memoLength = memo.trim().length

  return (
    <Dialog
      title="Send USDC"
      description={`From ${walletName(props.wallet)}${available === null ? '' : `, $${formatAmount(available)} available`}`}
      onClose={props.onClose}
      onSubmit={submit}
      footer={
        <>
          <Button look="secondary" onClick={props.onClose}>
            Cancel
          </Button>
          <Button type="submit" busy={isSubmitting}>
            Review
          </Button>
        </>
      }
    >
      <div className="space-y-4" inert={isSubmitting}>
        <Tabs.Root
          value={to}
          onValueChange={(value) => {
            form.setValue('to', value as SendValues['to'])
            form.clearErrors()
          }}
        >
          <Tabs.List aria-label="Send to" className="mb-4 grid grid-cols-3 gap-1 rounded-control bg-sunken p-1">
            <RecipientTab value="address">Address</RecipientTab>
            <RecipientTab value="email">Email</RecipientTab>
            <RecipientTab value="contact">Contact</RecipientTab>
          </Tabs.List>
          <Tabs.Panel value="address">
            <Field label="Recipient address" error={errors.address?.message}>
              {(control) => (
                <Input
                  {...control}
                  {...form.register('address')}
                  placeholder="0x…"
                  autoComplete="off"
                  autoCapitalize="none"
                  spellCheck={false}
                  className="font-mono text-small"
                />
              )}
            </Field>
          </Tabs.Panel>
          <Tabs.Panel value="email">
            <Field label="Recipient email" error={errors.email?.message} hint={claimHint('a link and a 6-digit code')}>
              {(control) => (
                <Input
                  {...control}
                  {...form.register('email')}
                  type="email"
                  placeholder="name@example.com"
                  autoComplete="off"
                  autoCapitalize="none"
                  spellCheck={false}
                />
              )}
            </Field>
          </Tabs.Panel>
          <Tabs.Panel value="contact" className="space-y-4">
            <ContactPicker
              value={contact}
              error={errors.contactId?.message}
              onChange={(next) => {
                const [only, ...others] = next ? methodsOf(next, sms) : []
                form.setValue('contactId', next?.id ?? '')
                form.setValue('method', only && others.length === 0 ? only : '')
                form.clearErrors(['contactId', 'method', 'amount'])
              }}
            />
            {contact && <Methods form={form} contact={contact} error={errors.method?.message} />}
          </Tabs.Panel>
        </Tabs.Root>
        <Controller
          control={form.control}
          name="amount"
          render={({ field }) => (
            <Field
              label="Amount"
              error={errors.amount?.message}
              aside={
                available !== null && (
                  <button
                    type="button"
                    className="min-h-6 rounded-sm text-green underline underline-offset-3"
                    onClick={() => {
                      field.onChange(available)
                      form.clearErrors('amount')
                    }}
                  >
                    Use max balance
                  </button>
                )
              }
            >
              {(control) => <AmountInput {...control} {...field} />}
            </Field>
          )}
        />
        <Field
          label="Memo"
          aside={
            <span className={memoLength > memoMax ? 'text-red' : ''}>
              {memoLength}/{memoMax}
            </span>
          }
          error={errors.memo?.message}
        >
          {(control) => <Input {...control} {...form.register('memo')} autoComplete="off" placeholder="Optional" />}
        </Field>
      </div>
    </Dialog>
  )
}

const claimHint = (what: string) =>
  `The recipient gets ${what} and has ${defaultExpiryDays} days to claim. Until it is claimed you can reclaim it.`

const methodWords: Record<ContactMethod, { label: string; hint: string }> = {
  address: { label: 'Wallet address', hint: 'Arrives in seconds and cannot be taken back.' },
  email: { label: 'Email', hint: claimHint('a link and a 6-digit code by email') },
  phone: { label: 'Phone', hint: claimHint('a link and a 6-digit code by SMS') },
}

/** Which of the contact's methods to use. A single one is chosen already. */
function Methods(props: { form: Form; contact: Contact; error: string | undefined }) {
  const { form, contact, error } = props
  const chosen = form.watch('method')
  const methods = methodsOf(contact, useSms())
  if (methods.length === 0)
    return <p className="text-small text-muted">This contact has only a phone number, and SMS is not offered here.</p>
  return (
    <fieldset aria-describedby={error ? 'method-error' : undefined}>
      <legend className="mb-1 font-medium text-small">Contact method</legend>
      <div className="space-y-2">
        {methods.map((method) => (
          <label
            key={method}
            className="flex cursor-pointer items-start gap-3 rounded-control border border-control px-3 py-2 has-checked:border-green has-checked:bg-green-tint has-focus-visible:outline-2 has-focus-visible:outline-green has-focus-visible:outline-offset-2"
          >
            <input
              type="radio"
              value={method}
              {...form.register('method')}
              aria-invalid={error ? true : undefined}
              className="mt-1 size-4 shrink-0 accent-green"
            />
            <span className="min-w-0">
              <span className="flex flex-wrap items-baseline gap-x-2">
                <span className="font-medium">{methodWords[method].label}</span>
                <span className={method === 'address' ? 'font-mono text-small' : 'break-all'}>
                  {method === 'address' ? shortAddress(contact.address!) : contact[method]}
                </span>
              </span>
              {chosen === method && <span className="block text-muted text-small">{methodWords[method].hint}</span>}
            </span>
          </label>
        ))}
      </div>
      {error && (
        <p id="method-error" role="alert" className="mt-1 text-red text-small">
          {error}
        </p>
      )}
    </fieldset>
  )
}

function RecipientTab(props: { value: SendValues['to']; children: string }) {
  return (
    <Tabs.Tab
      value={props.value}
      className="h-9 rounded-[6px] font-medium text-muted text-small aria-selected:bg-card aria-selected:text-ink pointer-coarse:h-11"
    >
      {props.children}
    </Tabs.Tab>
  )
}
