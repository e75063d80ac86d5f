import { useQuery } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { dayMs } from '#domain/time.ts'
import { MoneyChain } from '#web/components/Amount.tsx'
import { AmountField, FormDialog, formResolver, PasswordField, TextField } from '#web/components/forms.tsx'
import { Notice } from '#web/components/Notice.tsx'
import { dollars, microOf, typedDecimal, typedMicro, typedProblem } from '#web/lib/amounts.ts'
import { ApiError } from '#web/lib/apiError.ts'
import { formatLongDate, shortAddress } from '#web/lib/format.ts'
import { unitOf } from '#web/lib/networks.ts'
import {
  type Approval,
  approvalSettingsQuery,
  approve,
  isLateAnswer,
  refreshApprovals,
} from '#web/queries/approvals.ts'
import { amountOf, useRecipient } from './words.ts'

/** `onLate` is called if somebody else, or the agent, had ended the request before. */
type Props = { approval: Approval; onClose: () => void; onLate: () => void }

/**
 * Sends a decision from a dialog and closes the dialog on success. Also closes it if the request has changed or ended: the
 * card below then says what happened.
 */
async function sendDecision(send: () => Promise<unknown>, props: Props): Promise<void> {
  try {
    await send()
  } catch (error) {
    if (!(error instanceof ApiError && (error.status === 409 || error.status === 410))) throw error
    if (isLateAnswer(error)) props.onLate()
  }
  await refreshApprovals()
  props.onClose()
}

const resolver = formResolver<{ password: string }>(({ password }) => ({
  password: password ? null : 'Please enter your password',
}))

/** Approves once, with the password that the owner requires above a certain amount. */
export function PasswordDialog(props: Props) {
  const { approval } = props
  const form = useForm({ resolver, defaultValues: { password: '' } })
  const amount = amountOf(approval)
  const recipient = useRecipient(approval)
  return (
    <FormDialog
      title={`Approve ${amount}`}
      subject={approval.id}
      description={`${approval.purchase ? 'For' : 'To'} ${recipient}. Amounts above your limit require the password.`}
      form={form}
      onClose={props.onClose}
      submit={[`Approve ${amount}`, 'Approving...']}
      send={async ({ password }) => {
        await sendDecision(() => approve(approval.id, { hash: approval.hash, password }), props)
      }}
      fallback="The payment could not be approved. Please try again."
      unknown="It is not known whether it was approved. Try again: nothing is paid twice."
    >
      <PasswordField form={form} name="password" label="Password" autoComplete="current-password" />
    </FormDialog>
  )
}

type Values = { amount: string; lastDay: string; password: string }

/** The local day, such as '2026-12-22'. */
const dayText = (at: number) => new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 10)
/** The first instant after a local day. */
const endOf = (day: string) => new Date(`${day}T24:00:00`)
const maxDays = 365

const check = ({ amount, lastDay }: Values) => ({
  amount: typedProblem(amount, 'Please enter a valid amount greater than 0'),
  lastDay: !lastDay
    ? 'Please choose the last day'
    : lastDay < dayText(Date.now())
      ? 'Please choose today or a later day'
      : lastDay > dayText(Date.now() + maxDays * dayMs)
        ? 'Please choose a day within a year'
        : null,
})

/** Approves the payment, and allows this agent further payments to the same address up to an amount and a day. */
export function AlwaysAllowDialog(props: Props) {
  const { approval } = props
  const settings = useQuery(approvalSettingsQuery).data
  const limit = settings?.passwordAbove ?? null
  const needsPassword = (amount: string) =>
    approval.needsPassword || (limit !== null && (typedMicro(amount) ?? 0n) > microOf(limit))
  const form = useForm<Values>({
    resolver: formResolver((values) => ({
      ...check(values),
      password: needsPassword(values.amount) && !values.password ? 'Please enter your password' : null,
    })),
    defaultValues: { amount: '', lastDay: dayText(Date.now() + 30 * dayMs), password: '' },
  })
  const { errors } = form.formState
  const isPurchase = approval.purchase !== null
  const named = useRecipient(approval)
  // What is allowed is the address, whatever is bought there.
  const recipient = isPurchase ? shortAddress(approval.recipient?.address ?? '') : named
  const { amount, lastDay } = form.watch()
  const problems = check({ amount, lastDay, password: '' })
  return (
    <FormDialog
      title="Approve and always allow"
      subject={approval.id}
      description={`${amountOf(approval)} ${isPurchase ? 'may be paid now, and further purchases and payments' : 'is paid now, and further payments'} to ${recipient} do not need your approval.`}
      form={form}
      onClose={props.onClose}
      submit={[`Approve ${amountOf(approval)}`, 'Approving...']}
      send={({ amount, lastDay, password }) =>
        sendDecision(
          () =>
            approve(approval.id, {
              hash: approval.hash,
              ...(password && { password }),
              grant: { amount: typedDecimal(amount), endsAt: endOf(lastDay).toISOString() },
            }).catch((error) => {
              if (error instanceof ApiError && error.code === 'password_required') form.setFocus('password')
              throw error
            }),
          props,
        )
      }
      fallback="The payment could not be approved. Please try again."
      unknown="It is not known whether it was approved. Try again: nothing is paid twice."
    >
      <MoneyChain value={approval.wallet.chain}>
        <AmountField form={form} name="amount" label="Further payments in total" />
      </MoneyChain>
      <TextField form={form} name="lastDay" label="Last day" type="date" min={dayText(Date.now())} />
      {(needsPassword(amount) || errors.password) && (
        <PasswordField form={form} name="password" label="Password" autoComplete="current-password" />
      )}
      <Notice tone="info">
        {!problems.amount && !problems.lastDay && (
          <span data-testid="effect">
            Until the end of {formatLongDate(`${lastDay}T12:00:00`)}, {approval.agent.name} may pay {recipient} up to{' '}
            {dollars(typedMicro(amount) ?? 0n)} {unitOf(approval.wallet.chain)} more without asking.{' '}
          </span>
        )}
        {isPurchase && (
          <span>
            That is for purchases from any host that names this address, and for payments to it. A host that has not
            confirmed the address to Bursar still needs your approval.{' '}
          </span>
        )}
        <span>
          Every other rule still applies. This ends earlier if the contact, the policy group or the agent’s credential
          changes, or if you end it under Account Settings.
        </span>
      </Notice>
    </FormDialog>
  )
}
