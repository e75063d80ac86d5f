import { useQuery } from '@tanstack/react-query'
import type { LinkProps } from '@tanstack/react-router'
import {
  ArrowLeftRight,
  ArrowUpRight,
  Bot,
  HandCoins,
  type LucideIcon,
  ShieldCheck,
  UserRound,
  UserRoundPlus,
  Wallet,
} from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { formatAmount, shortAddress } from '#web/lib/format.ts'
import { unitOf } from '#web/lib/networks.ts'
import { groupsQuery } from '#web/queries/agents.ts'
import { type Contact, contactsQuery } from '#web/queries/contacts.ts'
import { categoryLabel, displayStatus, transactionSearchQuery } from '#web/queries/transactions.ts'
import { canPay, type Wallet as WalletRow, walletName, walletsQuery } from '#web/queries/wallets.ts'
import { type Findable, find, isTransactionPart } from './find.ts'
import { pageGroups } from './pages.ts'

export type Command = Findable & {
  id: string
  note?: string
  icon: LucideIcon
  link: Pick<LinkProps, 'to' | 'search'>
}
export type CommandGroup = { name: string; commands: Command[] }

const maxPerGroup = 6
const debounceMs = 200

/** The commands that match `text`: actions and pages always; contacts, agents and transactions once something is typed. */
export function useCommands(text: string): { groups: CommandGroup[]; isSearching: boolean } {
  const wanted = text.trim()
  const wallets = useQuery(walletsQuery)
  const contacts = useQuery(contactsQuery)
  const agents = useQuery(groupsQuery)
  const part = useDebounced(wanted)
  const isPart = isTransactionPart(wanted)
  const transactions = useQuery({ ...transactionSearchQuery(part), enabled: isPart && part === wanted })

  // There may be hundreds of contacts and agents: commands are built when these load, and searched when the text changes.
  const contactCommands = useMemo(() => (contacts.data ?? []).map(contactCommand), [contacts.data])
  const sendCommands = useMemo(() => contactCommands.map(sendTo), [contactCommands])
  const agentCommands = useMemo(() => agentCommandsOf(agents.data ?? []), [agents.data])
  const actions = useMemo(() => [...(wallets.data ?? []).filter(canPay).map(sendFrom), ...fixedActions], [wallets.data])
  const groups = useMemo(
    () => [
      { name: 'Actions', commands: find(wanted ? [...actions, ...sendCommands] : actions, wanted, 9) },
      { name: 'Go to', commands: find(goTo, wanted, goTo.length) },
      ...(wanted
        ? [
            { name: 'Contacts', commands: find(contactCommands, wanted, maxPerGroup) },
            { name: 'Agents', commands: find(agentCommands, wanted, maxPerGroup) },
            {
              name: 'Transactions',
              commands: isPart && part === wanted ? (transactions.data?.rows ?? []).map(transactionCommand) : [],
            },
          ]
        : []),
    ],
    [wanted, actions, sendCommands, contactCommands, agentCommands, isPart, part, transactions.data],
  )
  return {
    groups: groups.filter(({ commands }) => commands.length > 0),
    isSearching: isPart && (part !== wanted || transactions.isFetching),
  }
}

const goTo = pageGroups.flatMap(({ entries }) =>
  entries.map(({ to, label, icon }): Command => ({ id: to, label, words: 'go to open', icon, link: { to } })),
)

const action = (label: string, icon: LucideIcon, link: Command['link'], words = ''): Command => ({
  id: label,
  label,
  words,
  icon,
  link,
})
const fixedActions = [
  action('Create payout', HandCoins, { to: '/dashboard/payouts', search: { create: true } }, 'send email phone'),
  action('Add contact', UserRoundPlus, { to: '/dashboard/contacts', search: { add: true } }, 'new create'),
  action('New agent', Bot, { to: '/dashboard/agents', search: { newAgent: true } }, 'create add'),
  action('New policy group', ShieldCheck, { to: '/dashboard/agents', search: { newGroup: true } }, 'create add budget'),
  action('New wallet', Wallet, { to: '/dashboard/wallets', search: { deploy: true } }, 'create add deploy'),
]

function contactCommand({ id, name, email, phone, address }: Contact): Command {
  const ways = [email, phone, address && shortAddress(address)].filter(Boolean).join(' · ')
  const words = [email, phone, address].filter(Boolean).join(' ')
  const link = { to: '/dashboard/contacts', search: { edit: id } } as const
  return { id: `contact ${id}`, label: name, note: ways, words, icon: UserRound, link }
}

const sendFrom = (wallet: WalletRow): Command => ({
  id: `send ${wallet.id}`,
  label: `Send from ${walletName(wallet)}`,
  note: shortAddress(wallet.address),
  icon: ArrowUpRight,
  link: { to: '/dashboard/wallets', search: { send: wallet.id } },
})

const sendTo = ({ id, label, words }: Command): Command => ({
  id: `send to ${id}`,
  label: `Send to ${label}`,
  ...(words && { words }),
  icon: ArrowUpRight,
  link: { to: '/dashboard/contacts', search: { send: id.slice('contact '.length) } },
})

type Groups = { policyGroup: { id: string; name: string }; agents: { id: string; name: string }[] }[]
const agentCommandsOf = (groups: Groups): Command[] =>
  groups.flatMap(({ policyGroup, agents }) => [
    ...agents.map(({ id, name }) => ({
      id: `agent ${id}`,
      label: name,
      note: `Agent in ${policyGroup.name}`,
      icon: Bot,
      link: { to: '/dashboard/agents', search: { group: policyGroup.id, agent: id } } as const,
    })),
    {
      id: `group ${policyGroup.id}`,
      label: policyGroup.name,
      note: 'Policy group',
      icon: ShieldCheck,
      link: { to: '/dashboard/agents', search: { group: policyGroup.id } } as const,
    },
  ])

type Found = Parameters<typeof categoryLabel>[0]
const transactionCommand = (transaction: Found): Command => ({
  id: transaction.id,
  label: `${categoryLabel(transaction)}, $${formatAmount(transaction.amountUsdc)} ${unitOf(transaction.fromWalletChain)}`,
  note: `${displayStatus(transaction.status).label} · ${transaction.id}`,
  icon: ArrowLeftRight,
  link: { to: '/dashboard/transactions', search: { detail: transaction.id } },
})

/** Returns `value` after it has stayed the same for `debounceMs`. */
function useDebounced(value: string): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), debounceMs)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
