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
import { formatAmount, shortAddress } from '../../lib/format.ts'
import { groupsQuery } from '../../queries/agents.ts'
import { type Contact, contactsQuery } from '../../queries/contacts.ts'
import { categoryLabel, displayStatus, transactionSearchQuery } from '../../queries/transactions.ts'
import { canPay, type Wallet as WalletRow, walletName, walletsQuery } from '../../queries/wallets.ts'
import { type Findable, find, isTransactionPart } from './find.ts'
import { pageGroups } from './pages.ts'

export type Command = Findable & {
  id: string
  note?: string
  icon: LucideIcon
  link: Pick<LinkProps, 'to' | 'search'>
}
export type CommandGroup = { name: string; commands: Command[] }

const mostEach = 6
const pauseMs = 200

/** What can be done and found for `text`: pages and acts at once, people, agents and transactions once something is typed. */
export function useCommands(text: string): { groups: CommandGroup[]; isSearching: boolean } {
  const wanted = text.trim()
  const wallets = useQuery(walletsQuery)
  const contacts = useQuery(contactsQuery)
  const agents = useQuery(groupsQuery)
  const part = useSettled(wanted)
  const isPart = isTransactionPart(wanted)
  const transactions = useQuery({ ...transactionSearchQuery(part), enabled: isPart && part === wanted })

  // Hundreds of people and agents: made when they come, searched when another text is wanted.
  const people = useMemo(() => (contacts.data ?? []).map(person), [contacts.data])
  const recipients = useMemo(() => people.map(sendTo), [people])
  const known = useMemo(() => agentsOf(agents.data ?? []), [agents.data])
  const acts = useMemo(() => [...(wallets.data ?? []).filter(canPay).map(sendFrom), ...fixedActs], [wallets.data])
  const groups = useMemo(
    () => [
      { name: 'Actions', commands: find(wanted ? [...acts, ...recipients] : acts, wanted, 9) },
      { name: 'Go to', commands: find(goTo, wanted, goTo.length) },
      ...(wanted
        ? [
            { name: 'Contacts', commands: find(people, wanted, mostEach) },
            { name: 'Agents', commands: find(known, wanted, mostEach) },
            {
              name: 'Transactions',
              commands: isPart && part === wanted ? (transactions.data?.rows ?? []).map(transactionCommand) : [],
            },
          ]
        : []),
    ],
    [wanted, acts, recipients, people, known, isPart, part, transactions.data],
  )
  return {
    groups: groups.filter(({ commands }) => commands.length > 0),
    isSearching: isPart && (part !== wanted || transactions.isFetching),
  }
}

const goTo = pageGroups.flatMap(({ entries }) =>
  entries.map(({ to, label, icon }): Command => ({ id: to, label, words: 'go to open', icon, link: { to } })),
)

const act = (label: string, icon: LucideIcon, link: Command['link'], words = ''): Command => ({
  id: label,
  label,
  words,
  icon,
  link,
})
const fixedActs = [
  act('Create payout', HandCoins, { to: '/dashboard/payouts', search: { create: true } }, 'send email phone escrow'),
  act('Add contact', UserRoundPlus, { to: '/dashboard/contacts', search: { add: true } }, 'new create'),
  act('New agent', Bot, { to: '/dashboard/agents', search: { newAgent: true } }, 'create add'),
  act('New policy group', ShieldCheck, { to: '/dashboard/agents', search: { newGroup: true } }, 'create add budget'),
  act('New wallet', Wallet, { to: '/dashboard/wallets', search: { deploy: true } }, 'create add deploy'),
]

function person({ id, name, email, phone, address }: Contact): Command {
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
const agentsOf = (groups: Groups): Command[] =>
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
  label: `${categoryLabel(transaction)}, $${formatAmount(transaction.amountUsdc)} USDC`,
  note: `${displayStatus(transaction.status).label} · ${transaction.id}`,
  icon: ArrowLeftRight,
  link: { to: '/dashboard/transactions', search: { detail: transaction.id } },
})

/** `value` once it has stayed the same for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
