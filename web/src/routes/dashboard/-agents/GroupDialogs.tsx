import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { type ReactNode, useRef, useState } from 'react'
import { type UseFormReturn, useForm } from 'react-hook-form'
import { toast } from 'react-hot-toast/headless'
import { zeroUsdc } from '#domain/money.ts'
import { useUnit } from '#web/components/Amount.tsx'
import { Button } from '#web/components/Button.tsx'
import { Chip } from '#web/components/Chip.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { FormDialog, formResolver } from '#web/components/forms.tsx'
import { StopDialog } from '#web/components/HandedOut.tsx'
import { PolicyExposure } from '#web/components/PolicyExposure.tsx'
import { ApiError, messageOf } from '#web/lib/apiError.ts'
import { budgetLeftAsTyped, freeOf } from '#web/lib/budgetLeft.ts'
import { formatAmount, plural } from '#web/lib/format.ts'
import { queryClient } from '#web/lib/queryClient.ts'
import {
  createGroup,
  deleteGroup,
  fetchGroup,
  type PolicyGroup,
  type PolicyGroupWithAgents,
  replayQuery,
  type ScopeUpdate,
  updateGroup,
  type WholeGroup,
  wholeGroupQuery,
} from '#web/queries/agents.ts'
import { walletsQuery } from '#web/queries/wallets.ts'
import type { Dialogs } from './dialogs.ts'
import { GroupFields } from './GroupFields.tsx'
import {
  changesOf,
  editInput,
  editProblems,
  type GroupValues,
  groupField,
  groupInput,
  groupProblems,
  merge,
  noGroup,
  valuesOf,
} from './groupForm.ts'
import { effectAsTyped, policyAsTyped } from './policyWords.ts'
import { ReplayOfGroup, ReplayOfNewGroup } from './Replay.tsx'
import { candidateOf, replayInWords } from './replayWords.ts'
import { ruleValuesOf } from './ruleForm.ts'
import { TryPaymentDialog } from './TryPayment.tsx'
import { useFirstPurchases } from './useFirstPurchases.ts'

const resolver = formResolver<GroupValues>(groupProblems)
const leftAsTyped = (group: PolicyGroup | null, typed: GroupValues) =>
  typed.scopes.length === 0 ? zeroUsdc : budgetLeftAsTyped(group, typed, ruleValuesOf(typed.rules))

/** `next` is the dialog that follows: if agents are now the first to buy from the wallet, that on what it keeps for it. */
export function NewGroupDialog(props: { onClose: () => void; onCreated: (group: PolicyGroup, next: Dialogs) => void }) {
  const form = useForm<GroupValues>({ resolver, defaultValues: noGroup })
  const first = useFirstPurchases(form.watch(), null)
  return (
    <FormDialog
      title="Add New Policy Group"
      subject={null}
      description="A budget, the wallet that pays, and the recipients that agents may pay."
      form={form}
      onClose={props.onClose}
      submit={['Create Policy Group', 'Creating...']}
      send={async (values, idempotencyKey) => {
        const group = await createGroup(groupInput(values), idempotencyKey)
        props.onCreated(group, first ? { purchases: first.wallet.id } : {})
      }}
      fallback="Failed to create policy group. Please try again."
      fields={groupField}
      aside={
        <PolicyAside form={form}>
          <PolicyExposure groupId={null} walletId={form.watch('walletId')} left={leftAsTyped(null, form.watch())} />
          <ReplayOfNewGroup form={form} />
        </PolicyAside>
      }
      summary={<PolicyEffect form={form} group={null} />}
    >
      <GroupFields form={form} budgetHint="In total, for all agents of the group." first={first} />
    </FormDialog>
  )
}

type EditProps = {
  group: PolicyGroupWithAgents
  onClose: () => void
  /** Closes it, and opens the dialog on what the wallet keeps for purchases. */
  onPurchases: (next: Dialogs) => void
}

/** Waits for the contacts of a group that has many. */
export function EditGroupDialog(props: EditProps) {
  // As it was when the dialog opened, so that an edit elsewhere does not replace what the user types.
  const [group] = useState(props.group.policyGroup)
  const { data, error, refetch } = useQuery(wholeGroupQuery(group))
  if (data) return <EditGroup {...props} whole={data} />
  return (
    <Dialog title="Edit Policy Group" onClose={props.onClose}>
      {error ? (
        <>
          <ErrorBox>{messageOf(error, 'Failed to load the group’s contacts')}</ErrorBox>
          <Button look="secondary" onClick={() => void refetch()}>
            Try again
          </Button>
        </>
      ) : (
        <p className="pb-2 text-muted">Loading contacts...</p>
      )}
    </Dialog>
  )
}

function EditGroup(props: EditProps & { whole: WholeGroup }) {
  const { agents } = props.group
  // The version that the form was filled from. It does not change while the user types.
  const [base, setBase] = useState(props.whole)
  const [results, setResults] = useState<ScopeUpdate[]>([])
  const [trying, setTrying] = useState(false)
  /** The policy whose effect on past payments was shown. */
  const confirmed = useRef('')
  const form = useForm<GroupValues>({
    resolver: formResolver((values) => editProblems(values, base)),
    defaultValues: valuesOf(base),
  })
  const first = useFirstPurchases(form.watch(), base)
  const leave = () => (first ? props.onPurchases({ purchases: first.wallet.id }) : props.onClose())

  /** If the change would have decided past payments differently and that was not shown yet, shows it before saving. */
  async function confirmChanges(values: GroupValues): Promise<void> {
    const candidate = candidateOf(values, base)
    const key = JSON.stringify(candidate)
    if (candidate === null || key === confirmed.current) return
    const query = replayQuery(base.id, candidate)
    const seen = queryClient.getQueryData(query.queryKey) !== undefined
    const replay = await queryClient.fetchQuery(query).catch(() => null)
    confirmed.current = key
    if (!seen && replay && replay.changed.length > 0)
      throw new ApiError(
        422,
        'unprocessable',
        `Not saved yet. ${replayInWords(replay)} Save again if that is what you want.`,
      )
  }

  /** Handles a change of the group elsewhere: untouched fields take the new values, and the next save is based on them. */
  async function mergeLatest(values: GroupValues): Promise<never> {
    const latest = await fetchGroup(base.id)
    const theirs = changesOf(valuesOf(base), valuesOf(latest))
    const mine = changesOf(valuesOf(base), values)
    form.reset(merge(valuesOf(base), values, valuesOf(latest)))
    setBase(latest)
    const list = theirs.map((name) => (mine.includes(name) ? `${name} (your value is kept)` : name)).join(', ')
    throw new ApiError(
      409,
      'conflict',
      `This policy group was changed while you edited it${list && `: ${list}`}. Nothing you typed is lost. Check it and save again.`,
    )
  }

  if (results.length > 0) return <Results name={form.getValues('name').trim()} results={results} onClose={leave} />
  return (
    <>
      <FormDialog
        title="Edit Policy Group"
        subject={base.id}
        description="Takes effect on its agents’ next call."
        form={form}
        onClose={props.onClose}
        submit={['Save Changes', 'Saving...']}
        send={async (values) => {
          await confirmChanges(values)
          try {
            const { scopeUpdateResults = [] } = await updateGroup(base.id, editInput(values, base))
            if (scopeUpdateResults.length > 0) return setResults(scopeUpdateResults)
            toast.success(`${values.name.trim()} was updated.`)
            leave()
          } catch (error) {
            if (error instanceof ApiError && error.status === 409 && error.field === 'version')
              await mergeLatest(values)
            throw error
          }
        }}
        fallback="Failed to update policy group. Please try again."
        fields={groupField}
        aside={
          <PolicyAside form={form}>
            <PolicyExposure groupId={base.id} left={leftAsTyped(base, form.watch())} />
            <ReplayOfGroup form={form} group={base} />
          </PolicyAside>
        }
        summary={
          <PolicyEffect form={form} group={base} onTry={agents.length > 0 ? () => setTrying(true) : undefined} />
        }
      >
        <GroupFields
          form={form}
          wallet={base.wallet ?? { name: null }}
          budgetHint={`In total, for all agents of the group. $${formatAmount(base.currentSpent)} is spent and $${formatAmount(base.held)} held.`}
          first={first}
        />
      </FormDialog>
      {/* Outside the form, since it is one itself. */}
      {trying && <TryPaymentDialog group={base} agents={agents} onClose={() => setTrying(false)} />}
    </>
  )
}

/** The result of the change for each agent. */
function Results(props: { name: string; results: ScopeUpdate[]; onClose: () => void }) {
  const failed = props.results.filter(({ success }) => !success).length
  return (
    <Dialog
      title="Policy group updated"
      description={
        failed === 0
          ? `${props.name} is saved. Its agents have the new permissions now.`
          : `${props.name} is saved, but not every agent has the new permissions.`
      }
      onClose={props.onClose}
      footer={<Button onClick={props.onClose}>Done</Button>}
    >
      <ul aria-label="Agents" className="divide-y divide-hairline">
        {props.results.map(({ agentName, success, error }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two agents may share a name, and the list never changes
          <li key={i} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2">
            <span className="min-w-0 break-words">{agentName}</span>
            {success ? <Chip tone="good">Updated</Chip> : <Chip tone="bad">{error || 'Not updated'}</Chip>}
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

export function DeleteGroupDialog(props: { group: PolicyGroupWithAgents; onDeleted: () => void; onClose: () => void }) {
  const { policyGroup, agents } = props.group
  return (
    <StopDialog
      endsFor={({ policyGroupId }) => policyGroupId === policyGroup.id}
      title="Delete Policy Group"
      danger
      confirm={['Delete Policy Group', 'Deleting...']}
      fallback="Failed to delete policy group. Please try again."
      act={() => deleteGroup(policyGroup.id)}
      done={`${policyGroup.name} was deleted.`}
      onClose={props.onClose}
      onDone={props.onDeleted}
    >
      <p>
        <strong className="break-words font-semibold">{policyGroup.name}</strong>
        {agents.length === 0 ? ' has no agents.' : ` and its ${plural(agents.length, 'agent')} will be deleted:`}
      </p>
      {agents.length > 0 && (
        <ul className="max-h-40 list-disc overflow-y-auto pl-5">
          {agents.map((agent) => (
            <li key={agent.id} className="break-words">
              {agent.name}
            </li>
          ))}
        </ul>
      )}
      <p>
        Their credentials stop working immediately. Queued payments that are not signed yet fail; signed ones still go
        through. The money stays in the wallet. This cannot be undone.
      </p>
    </StopDialog>
  )
}

/** Beside the editor: the policy as typed, in words, and what it changes. */
function PolicyAside(props: { form: UseFormReturn<GroupValues>; children: ReactNode }) {
  const policy = policyAsTyped(props.form.watch())
  return (
    <section aria-labelledby="policy-words" className="space-y-3">
      <h3 id="policy-words" className="font-medium text-small">
        What agents may do
      </h3>
      <ul className="list-disc space-y-1 pl-5 text-small marker:text-faint">
        {policy.map((sentence) => (
          <li key={sentence} className="wrap-anywhere">
            {sentence}
          </li>
        ))}
      </ul>
      {props.children}
    </section>
  )
}

/** What the policy as typed lets agents spend, always in view below the editor. `onTry` is set if there is an agent. */
function PolicyEffect(props: {
  form: UseFormReturn<GroupValues>
  group: PolicyGroup | null
  onTry?: (() => void) | undefined
}) {
  const values = props.form.watch()
  const wallet = useQuery(walletsQuery).data?.find(({ id }) => id === values.walletId)
  const effect = effectAsTyped(props.group, values, freeOf(wallet, values.scopes), useUnit(wallet?.chain))
  if (!effect && !props.onTry) return null
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-hairline border-t px-5 py-3">
      <p
        role="status"
        data-testid="policy-effect"
        className={clsx('min-w-48 flex-1 text-small', values.scopes.length === 0 && 'font-medium text-amber')}
      >
        {effect}
      </p>
      {props.onTry && (
        <Button look="quiet" className="px-2!" onClick={props.onTry}>
          Try a payment
        </Button>
      )}
    </div>
  )
}
