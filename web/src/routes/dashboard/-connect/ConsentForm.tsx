import { useEffect, useState } from 'react'
import { Controller, type UseFormReturn, useForm } from 'react-hook-form'
import { MoneyChain, useUnit } from '#web/components/Amount.tsx'
import { Button } from '#web/components/Button.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { AmountField, formResolver, PasswordField, SelectField, TextField } from '#web/components/forms.tsx'
import { Notice } from '#web/components/Notice.tsx'
import { RadioChoices } from '#web/components/RadioChoices.tsx'
import { ScopeChecks } from '#web/components/ScopeChecks.tsx'
import { dollars } from '#web/lib/amounts.ts'
import { ApiError } from '#web/lib/apiError.ts'
import { permissionsInWords } from '#web/lib/scopes.ts'
import { useAction } from '#web/lib/useAction.ts'
import type { PolicyGroup, PolicyGroupWithAgents } from '#web/queries/agents.ts'
import { allowConnection, type ConnectionRequest } from '#web/queries/connections.ts'
import { type Wallet, walletName } from '#web/queries/wallets.ts'
import { NoWalletNotice, payingWallets } from '../-send/WalletField.tsx'
import { AllowanceField } from '../-wallets/session/AllowanceField.tsx'
import { grantedLimit } from '../-wallets/session/grant.ts'
import {
  allowedBody,
  type ConsentValues,
  consentField,
  consentProblems,
  firstValues,
  mostByGroup,
  mostByNewGroup,
  rulesOf,
} from './consentForm.ts'
import { type Answer, hasEnded, useDeny } from './useDeny.ts'
import { type FirstAllowance, useFirstAllowance } from './useFirstAllowance.ts'

/** Chooses the agent, its wallet and its budget, and allows or denies. */
export function ConsentForm(props: {
  request: ConnectionRequest
  wallets: Wallet[]
  groups: PolicyGroupWithAgents[]
  onAnswered: (answer: Answer) => void
  /** The request can no longer be answered. */
  onEnded: (error: ApiError) => void
}) {
  const { request, wallets, groups } = props
  const form = useForm<ConsentValues>({
    resolver: (values, context, options) =>
      formResolver<ConsentValues>((typed) =>
        consentProblems(
          typed,
          request.passwordRequired,
          first?.state === 'proposed' ? grantedLimit(first.grant) : null,
        ),
      )(values, context, options),
    defaultValues: firstValues(request, wallets),
  })
  const { first, keep, hasFailed } = useFirstAllowance(form, wallets)
  const isLive = useLive()
  async function run(values: ConsentValues) {
    await keep(values)
    return allowConnection(request.id, allowedBody(values, request))
  }
  const allow = useAction(run, {
    fallback: 'The app could not be connected. Please try again.',
    onFailed(error, message) {
      if (hasFailed(error)) {
        form.setError('allowance', { message }, { shouldFocus: true })
        return true
      }
      if (hasEnded(error)) props.onEnded(error)
      const field = error instanceof ApiError && error.field ? consentField(error.field) : undefined
      if (field) form.setError(field, { message }, { shouldFocus: true })
      return field !== undefined
    },
    onDone: ({ redirect }) => props.onAnswered({ kind: 'allowed', redirect }),
    leaves: true,
  })
  const deny = useDeny(props)
  const problem = allow.problem ?? deny.problem
  const busy = allow.busy || deny.busy
  return (
    // A field that gets the focus is not left behind the bar at the bottom.
    <form
      noValidate
      onSubmit={form.handleSubmit((values) => allow.start(values))}
      className="[&_:is(input,select,textarea)]:scroll-mb-56"
    >
      <fieldset disabled={busy} className="space-y-4 px-5 pb-5">
        <legend className="sr-only">What it may spend</legend>
        <AgentFields form={form} request={request} wallets={wallets} groups={groups} first={first} />
        {request.passwordRequired && (
          <PasswordField
            form={form}
            name="password"
            label="Your Bursar password"
            hint="We ask because you haven’t signed in recently."
            autoComplete="current-password"
          />
        )}
        {problem && <ErrorBox>{problem}</ErrorBox>}
      </fieldset>
      {/* Nobody allows without having the most that can leave in view. */}
      <div className="short:static sticky bottom-0 space-y-3 rounded-b-card border-hairline border-t bg-card px-5 py-4 pb-[max(1rem,env(safe-area-inset-bottom))]">
        <MostThatCanLeave form={form} request={request} wallets={wallets} groups={groups} />
        <div className="grid grid-cols-2 gap-3">
          <Button look="secondary" busy={deny.busy} disabled={allow.busy} onClick={() => deny.start()}>
            Deny
          </Button>
          <Button type="submit" busy={allow.busy} disabled={deny.busy || !isLive}>
            Allow
          </Button>
        </div>
      </div>
    </form>
  )
}

const liveAfterMs = 1_000 // 1 second

/** Becomes true a second after the page is shown, each time: nobody presses a button that has just appeared. */
function useLive(): boolean {
  const [isLive, setIsLive] = useState(false)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>
    const restart = () => {
      clearTimeout(timer)
      setIsLive(false)
      if (document.visibilityState === 'visible') timer = setTimeout(() => setIsLive(true), liveAfterMs)
    }
    restart()
    document.addEventListener('visibilitychange', restart)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', restart)
    }
  }, [])
  return isLive
}

type Parts = {
  form: UseFormReturn<ConsentValues>
  request: ConnectionRequest
  wallets: Wallet[]
  groups: PolicyGroupWithAgents[]
}

function AgentFields({ form, request, wallets, groups, first }: Parts & { first: FirstAllowance | null }) {
  const { existing } = request
  const [agentId, groupId] = form.watch(['agentId', 'groupId'])
  const known = groups.find(({ policyGroup }) => policyGroup.id === (agentId ? existing?.policyGroupId : groupId))
  const group = known?.policyGroup
  return (
    <>
      {existing && (
        <fieldset>
          <legend className="mb-1 font-medium text-small">Agent</legend>
          <RadioChoices
            name="agent"
            value={agentId}
            onChange={(value) => form.setValue('agentId', value)}
            choices={[
              {
                value: existing.agentId,
                label: `${existing.agentName}, as before`,
                hint: 'Keeps its budget and history. Its earlier connection with this app ends.',
              },
              { value: '', label: 'A new agent', hint: 'With a budget of its own.' },
            ]}
          />
        </fieldset>
      )}
      {agentId === '' && (
        <>
          <TextField form={form} name="name" label="Name of its agent" autoComplete="off" />
          {groups.length > 0 && (
            <SelectField
              form={form}
              name="groupId"
              label="Budget"
              none="A new policy group"
              choices={groups.map(({ policyGroup: { id, name } }) => [id, `Shares that of ${name}`])}
            />
          )}
        </>
      )}
      {group ? (
        <ul className="space-y-1 rounded-control bg-sunken px-4 py-3 text-small">
          {rulesOf(group).map((sentence) => (
            <li key={sentence} className="wrap-anywhere">
              {sentence}
            </li>
          ))}
        </ul>
      ) : (
        agentId === '' && <NewGroupFields form={form} wallets={wallets} first={first} />
      )}
    </>
  )
}

const walletOf = (group: PolicyGroup, wallets: Wallet[]) => wallets.find(({ id }) => id === group.walletId)

function NewGroupFields(props: Pick<Parts, 'form' | 'wallets'> & { first: FirstAllowance | null }) {
  const { form, wallets, first } = props
  const [walletId, scopes] = form.watch(['walletId', 'scopes'])
  const wallet = wallets.find(({ id }) => id === walletId)
  return (
    <MoneyChain value={wallet?.chain}>
      <NoWalletNotice wallets={wallets} />
      <SelectField
        form={form}
        name="walletId"
        label="Wallet"
        none={walletId === '' ? 'Select a wallet' : undefined}
        choices={payingWallets(wallets)}
      />
      <div className="grid grid-cols-1 gap-3 min-[380px]:grid-cols-2">
        <AmountField form={form} name="perDay" label="Budget a day" />
        <AmountField form={form} name="askAbove" label="Ask me above" />
      </div>
      <details className="group">
        <summary className="cursor-pointer rounded-sm py-1 text-small">
          {permissionsInWords(scopes).replace('Agents', 'It').replace('the contacts listed below', 'contacts you list')}{' '}
          <span className="font-medium text-green underline underline-offset-3">Change</span>
        </summary>
        <fieldset className="mt-1">
          <legend className="sr-only">It may make</legend>
          <ScopeChecks field={form.register('scopes')} hints={hints} />
        </fieldset>
      </details>
      {wallet && first && <Purchases form={form} wallet={wallet} first={first} />}
    </MoneyChain>
  )
}

/** The app may buy, and the wallet keeps nothing for that yet. */
function Purchases(props: { form: Parts['form']; wallet: Wallet; first: FirstAllowance }) {
  const name = walletName(props.wallet)
  if (props.first.state === 'later')
    return (
      <Notice tone="info">
        {name} keeps nothing for purchases, so it can’t buy anything yet. Afterwards, choose how much it keeps under
        Wallets, where you rotate or renew its session key.
      </Notice>
    )
  return (
    <div className="space-y-2">
      <Notice tone="info">
        {name} keeps nothing for purchases yet. Allow also rotates its session key, so that the new one keeps this much
        of the {dollars(grantedLimit(props.first.grant) ?? 0n)} that it may still pay. With 0, it can’t buy anything
        yet.
      </Notice>
      <Controller
        control={props.form.control}
        name="allowance"
        render={({ field, fieldState }) => <AllowanceField {...field} error={fieldState.error?.message} />}
      />
    </div>
  )
}

const hints = { 'contact_payments:write': 'Pay the contacts that you list in its policy group' }

/** The last sentence before the buttons. */
function MostThatCanLeave({ form, request, wallets, groups }: Parts) {
  const values = form.watch()
  const groupId = values.agentId ? request.existing?.policyGroupId : values.groupId
  const group = groups.find(({ policyGroup }) => policyGroup.id === groupId)?.policyGroup
  const wallet = group ? walletOf(group, wallets) : wallets.find(({ id }) => id === values.walletId)
  const unit = useUnit(wallet?.chain)
  const most = group ? mostByGroup(group, wallet, unit) : mostByNewGroup(values, wallet, unit)
  if (!most) return null
  return (
    <p aria-live="polite" data-testid="most" className="text-small">
      At most <strong className="whitespace-nowrap font-semibold">{most.figure}</strong> {most.rest}
    </p>
  )
}
