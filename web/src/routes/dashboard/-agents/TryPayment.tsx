import { CircleCheck, CircleX, Clock } from 'lucide-react'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { emailProblem } from '#domain/email.ts'
import { readPhone } from '#domain/readers/phone.ts'
import { problemIn } from '#domain/readers/read.ts'
import { scopeFor } from '#domain/scopes.ts'
import { amountProblem, recipientAddressProblem } from '#domain/sendRules.ts'
import { Button } from '#web/components/Button.tsx'
import { ContactPicker } from '#web/components/ContactPicker.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { AmountField, formResolver, SelectField, TextField } from '#web/components/forms.tsx'
import { LetItPay } from '#web/components/LetItPay.tsx'
import { LabeledSelect } from '#web/components/Select.tsx'
import { WhitelistContact } from '#web/components/WhitelistContact.tsx'
import { typedDecimal } from '#web/lib/amounts.ts'
import { messageOf } from '#web/lib/apiError.ts'
import { formatAmount, formatMoment } from '#web/lib/format.ts'
import {
  type Agent,
  checkPayment,
  type PaymentCheck,
  type PaymentRecipient,
  type PolicyGroup,
} from '#web/queries/agents.ts'
import { useSms } from '#web/queries/config.ts'
import { RuleLink } from './RuleLink.tsx'

type Kind = PaymentRecipient['type']
type Values = { type: Kind; contact: string; address: string; email: string; phone: string; amount: string }

const kinds: Record<Kind, string> = {
  contact: 'Contact',
  address: 'Address',
  email: 'Email',
  phone: 'Phone number',
}

const resolver = formResolver<Values>((values) => ({
  ...{ [values.type]: recipientProblem(values) },
  amount: amountProblem(values.amount, null),
}))

function recipientProblem({ type, ...values }: Values): string | null {
  switch (type) {
    case 'contact':
      return values.contact ? null : 'Please select a contact'
    case 'address':
      return recipientAddressProblem(values.address)
    case 'email':
      return values.email.trim() ? emailProblem(values.email.trim()) : 'Please enter an email address'
    case 'phone':
      return problemIn(readPhone(values.phone))
  }
}

function recipientOf({ type, ...values }: Values): PaymentRecipient {
  switch (type) {
    case 'contact':
      return { type, contactId: values.contact }
    case 'address':
      return { type, address: values.address.trim() }
    case 'email':
      return { type, email: values.email.trim() }
    case 'phone':
      return { type, phone: values.phone.trim() }
  }
}

/** Checks whether the rules would allow a payment by this agent. Makes no payment. */
export function TryPayment(props: { agent: Agent; first: Kind }) {
  const { agent } = props
  const form = useForm<Values>({
    resolver,
    defaultValues: { type: props.first, contact: '', address: '', email: '', phone: '', amount: '' },
  })
  const [result, setResult] = useState<PaymentCheck | null>(null)
  const { errors, isSubmitting: busy } = form.formState
  const [type, contact] = form.watch(['type', 'contact'])
  const sms = useSms()

  const submit = form.handleSubmit(async (values) => {
    setResult(null)
    try {
      setResult(await checkPayment(agent.id, { to: recipientOf(values), amount: typedDecimal(values.amount) }))
    } catch (error) {
      form.setError('root', { message: messageOf(error) })
    }
  })

  return (
    <form noValidate onSubmit={submit} onChange={() => setResult(null)} className="space-y-3">
      <div className="grid gap-3 sm:grid-cols-[9rem_1fr]">
        <SelectField
          form={form}
          name="type"
          label="Pay by"
          choices={Object.entries(kinds).filter(([kind]) => kind !== 'phone' || sms)}
        />
        {type === 'contact' ? (
          <ContactPicker
            value={contact || undefined}
            error={errors.contact?.message}
            onChange={(next) => {
              form.setValue('contact', next?.id ?? '')
              form.clearErrors('contact')
              setResult(null)
            }}
          />
        ) : (
          <TextField
            key={type}
            form={form}
            name={type}
            label={kinds[type]}
            type={type === 'email' ? 'email' : type === 'phone' ? 'tel' : 'text'}
            placeholder={{ address: '0x…', email: 'name@example.com', phone: '+14155550123' }[type]}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            className={type === 'address' ? 'font-mono text-small' : undefined}
          />
        )}
      </div>
      <div className="flex flex-wrap items-end gap-3">
        <div className="min-w-40 flex-1">
          <AmountField form={form} name="amount" label="Amount" />
        </div>
        <Button look="secondary" type="submit" busy={busy} className={errors.amount ? 'mb-6' : ''}>
          Try
        </Button>
      </div>
      {errors.root?.message && <ErrorBox>{errors.root.message}</ErrorBox>}
      <div role="status">
        {result && (
          <div ref={intoView}>
            <Result
              result={result}
              agentId={agent.id}
              groupId={agent.policyGroupId}
              contactId={type === 'contact' ? contact : null}
            />
          </div>
        )}
      </div>
    </form>
  )
}

/** On a phone, the result would be below the visible area. */
const intoView = (element: HTMLElement | null) => element?.scrollIntoView({ block: 'nearest' })

function Result(props: { result: PaymentCheck; agentId: string; groupId: string; contactId: string | null }) {
  const { allowed, amount, max_allowed_now: most, refusal, approval_required: asks, warnings } = props.result
  if (allowed && asks)
    return (
      <p className="flex gap-2 rounded-control bg-amber-tint px-3 py-2 text-amber text-small">
        <Clock aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
        <span>${formatAmount(amount)} would wait for your approval. Every other rule allows it.</span>
      </p>
    )
  if (allowed || !refusal)
    return (
      <p className="flex gap-2 rounded-control bg-green-tint px-3 py-2 text-green text-small">
        <CircleCheck aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
        <span>
          Allowed: ${formatAmount(amount)} would be paid. The maximum for this recipient is now ${formatAmount(most)}.
          {warnings.map(({ code, detail }) => (
            <span key={code} className="mt-1 block text-ink">
              {detail}
            </span>
          ))}
        </span>
      </p>
    )
  return (
    <div className="flex gap-2 rounded-control bg-red-tint px-3 py-2 text-small">
      <CircleX aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-red" />
      <div className="min-w-0">
        <p className="font-medium text-red">Refused: {refusal.detail}</p>
        {refusal.next && <p>{refusal.next}</p>}
        <p>
          {most === '0'
            ? 'This recipient can’t be paid anything now.'
            : `The maximum for this recipient is now $${formatAmount(most)}.`}
          {refusal.resets_at && <span> Resets {formatMoment(refusal.resets_at)}.</span>}
        </p>
        <LetItPay rule={refusal.rule ?? null} groupId={props.groupId} amount={amount} />
        <WhitelistContact rule={refusal.rule ?? null} groupId={props.groupId} contactId={props.contactId} />
        {refusal.rule && (
          <p>
            Rule: <RuleLink rule={refusal.rule} agentId={props.agentId} />
          </p>
        )}
      </div>
    </div>
  )
}

/** The first kind of recipient that the group allows. */
export const firstKind = (group: PolicyGroup) =>
  (Object.keys(kinds) as Kind[]).find((kind) => group.scopes.includes(scopeFor[kind])) ?? 'address'

/** Tries a payment by one of the agents, under the saved rules. */
export function TryPaymentDialog(props: { group: PolicyGroup; agents: Agent[]; onClose: () => void }) {
  const { group, agents } = props
  const [agentId, setAgentId] = useState(agents[0]!.id)
  const agent = agents.find(({ id }) => id === agentId) ?? agents[0]!
  return (
    <Dialog
      title="Try a payment"
      description="Checks a payment against the rules as they are saved. Nothing is paid or held."
      onClose={props.onClose}
    >
      <div className="space-y-4">
        {agents.length > 1 && (
          <LabeledSelect
            label="Agent"
            value={agent.id}
            onChange={setAgentId}
            choices={agents.map(({ id, name }) => [id, name])}
          />
        )}
        <TryPayment key={agent.id} agent={agent} first={firstKind(group)} />
      </div>
    </Dialog>
  )
}
