import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useDeferredValue, useMemo } from 'react'
import { Field } from '#web/components/Field.tsx'
import { Select } from '#web/components/Select.tsx'
import type { FilterFieldProps } from '#web/lists/filters.ts'
import { groupsQuery, type PolicyGroupWithAgents } from '#web/queries/agents.ts'
import { outsideBursar } from '#web/queries/transactions.ts'
import { walletLabel, walletsQuery } from '#web/queries/wallets.ts'

const noGroups: PolicyGroupWithAgents[] = []

/** There may be hundreds of agents, so the options are rendered once, after the dialog is painted. */
const useGroups = () => useDeferredValue(useQuery(groupsQuery).data ?? noGroups, noGroups)

export function SenderField(props: FilterFieldProps) {
  const groups = useGroups()
  const agentOptions = useMemo(
    () =>
      groups.map(({ policyGroup, agents }) => (
        <optgroup key={policyGroup.id} label={policyGroup.name}>
          {agents.map((agent) => (
            <option key={agent.id} value={agent.id}>
              {agent.name}
            </option>
          ))}
        </optgroup>
      )),
    [groups],
  )
  return (
    <Choice {...props} label="Sender" all="Everyone">
      <option value="user">User</option>
      <option value="outside">{outsideBursar}</option>
      {agentOptions}
    </Choice>
  )
}

export function GroupField(props: FilterFieldProps) {
  const groups = useGroups()
  const ids = groups.map(({ policyGroup }) => policyGroup.id)
  return (
    <Choice {...props} label="Policy group" all="All policy groups">
      {groups.map(({ policyGroup: { id, name } }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
      <Deleted value={props.value} known={ids} what="policy group" />
    </Choice>
  )
}

export function WalletField(props: FilterFieldProps) {
  const { data: wallets = [] } = useQuery(walletsQuery)
  const ids = wallets.map(({ id }) => id)
  return (
    <Choice {...props} label="Wallet" all="All wallets">
      {wallets.map((wallet) => (
        <option key={wallet.id} value={wallet.id}>
          {walletLabel(wallet)}
        </option>
      ))}
      <Deleted value={props.value} known={ids} what="wallet" />
    </Choice>
  )
}

const Choice = (props: FilterFieldProps & { label: string; all: string; children: ReactNode }) => (
  <Field label={props.label}>
    {(control) => (
      <Select {...control} value={props.value} onChange={({ target }) => props.onChange(target.value)}>
        <option value="">{props.all}</option>
        {props.children}
      </Select>
    )}
  </Field>
)

/** The option for a value that a link has set and that is not among the present ones. */
const Deleted = (props: { value: string; known: string[]; what: string }) =>
  props.value !== '' &&
  !props.known.includes(props.value) && <option value={props.value}>A deleted {props.what}</option>
