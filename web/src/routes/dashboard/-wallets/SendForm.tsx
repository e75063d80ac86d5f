import { Tabs } from '@base-ui/react/tabs'
import { type Control, Controller, useForm } from 'react-hook-form'
import { emailProblem } from '../../../../../worker/domain/email.ts'
import { formatUsdc, minusOrZero, parseUsdc } from '../../../../../worker/domain/money.ts'
import { addressProblem } from '../../../../../worker/domain/validators.ts'
import { AmountInput } from '../../../components/AmountInput.tsx'
import { Button } from '../../../components/Button.tsx'
import { Dialog } from '../../../components/Dialog.tsx'
import { Field, Input } from '../../../components/Field.tsx'
import { formatAmount } from '../../../lib/format.ts'
import { amountProblem, plainAmount } from '../../../lib/problems.ts'
import { resolve } from '../../../lib/resolver.ts'
import { type Wallet, walletName } from '../../../queries/wallets.ts'

export type SendValues = { to: 'address' | 'email'; address: string; email: string; amount: string; memo: string }

const memoMax = 100

/** What the wallet can still pay: its balance without what is held. Null while the balance is not known. */
export function spendable(wallet: Wallet): string | null {
  const balance = wallet.usdcBalance && parseUsdc(wallet.usdcBalance.balance)
  return balance === null ? null : formatUsdc(minusOrZero(balance, parseUsdc(wallet.held) ?? 0n))
}

export function SendForm(props: {
  wallet: Wallet
  values: SendValues
  onReview: (values: SendValues) => void
  onClose: () => void
}) {
  const available = spendable(props.wallet)
  const form = useForm<SendValues>({
    defaultValues: props.values,
    resolver: resolve<SendValues>((values) => ({
      address: values.to === 'address' ? recipientAddressProblem(values.address.trim()) : null,
      email: values.to === 'email' ? recipientEmailProblem(values.email) : null,
      amount: amountProblem(values.amount, available),
      memo: values.memo.length > memoMax ? 'Memo must be at most 100 characters' : null,
    })),
  })
  const { errors } = form.formState
  const [to, memo] = form.watch(['to', 'memo'])

  const submit = form.handleSubmit((values) =>
    props.onReview({
      ...values,
      address: values.address.trim(),
      email: values.email.trim(),
      // The plain form: '025.' was fine to type.
      amount: formatUsdc(parseUsdc(plainAmount(values.amount)) ?? 0n),
    }),
  )

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
          <Button type="submit">Review</Button>
        </>
      }
    >
      <div className="space-y-4">
        <Tabs.Root
          value={to}
          onValueChange={(value) => {
            form.setValue('to', value as SendValues['to'])
            form.clearErrors(['address', 'email'])
          }}
        >
          <Tabs.List aria-label="Send to" className="mb-4 grid grid-cols-2 gap-1 rounded-control bg-sunken p-1">
            <RecipientTab value="address">Address</RecipientTab>
            <RecipientTab value="email">Email</RecipientTab>
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
            <Field
              label="Recipient email"
              error={errors.email?.message}
              hint="They get a link and a 6-digit code, and 30 days to claim. Until then you can reclaim."
            >
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
        </Tabs.Root>
        <SendAmount form={form.control} error={errors.amount?.message} available={available} />
        <Field label="Memo" aside={`${memo.length}/${memoMax}`} error={errors.memo?.message}>
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
      </div>
    </Dialog>
  )
}

function SendAmount(props: { form: Control<SendValues>; error: string | undefined; available: string | null }) {
  return (
    <Controller
      control={props.form}
      name="amount"
      render={({ field }) => (
        <Field
          label="Amount"
          error={props.error}
          aside={
            props.available !== null && (
              <button
                type="button"
                className="min-h-6 rounded-sm text-green underline underline-offset-3"
                onClick={() => field.onChange(props.available)}
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

const recipientAddressProblem = (address: string) =>
  address === '' ? 'Please enter a recipient address' : addressProblem(address)

const recipientEmailProblem = (email: string) =>
  email.trim() === '' ? 'Please enter an email address' : emailProblem(email)
