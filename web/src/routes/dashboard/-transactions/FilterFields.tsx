import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useMemo } from 'react'
import { LabeledSelect } from '#web/components/Select.tsx'
import type { FilterFieldProps } from '#web/lists/filters.ts'
import { groupsQuery, type PolicyGroupWithAgents } from '#web/queries/agents.ts'
import { outsideBursar } from '#web/queries/transactions.ts'
import { walletLabel, walletsQuery } from '#web/queries/wallets.ts'

const noGroups: PolicyGroupWithAgents[] = []

/** There may be hundreds of agents, so the options are rendered once, after the dialog is painted. */
const useGroups = () => useDeferredValue(useQuery(groupsQuery).data ?? noGroups, noGroups)

const people = [
  ['user', 'User'],
  ['outside', outsideBursar],
] as const

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
  return <LabeledSelect {...props} label="Sender" none="Everyone" choices={people} groups={agentOptions} />
}

export function GroupField(props: FilterFieldProps) {
  const groups = useGroups()
  return (
    <LabeledSelect
      {...props}
      label="Policy group"
      none="All policy groups"
      choices={withDeleted(
        groups.map(({ policyGroup: { id, name } }) => [id, name]),
        props.value,
        'policy group',
      )}
    />
  )
}

export function WalletField(props: FilterFieldProps) {
  const { data: wallets = [] } = useQuery(walletsQuery)
  return (
    <LabeledSelect
      {...props}
      label="Wallet"
      none="All wallets"
      choices={withDeleted(
        wallets.map((wallet) => [wallet.id, walletLabel(wallet)]),
        props.value,
        'wallet',
      )}
    />
  )
}

type Choice = readonly [value: string, label: string]

/** Also the value that a link has set, if it is not among the present ones. */
const withDeleted = (present: Choice[], value: string, what: string): Choice[] =>
  value === '' || present.some(([one]) => one === value) ? present : [...present, [value, `A deleted ${what}`]]
