import { Dialog } from '@base-ui/react/dialog'
import { useQuery } from '@tanstack/react-query'
import { type LinkProps, useNavigate } from '@tanstack/react-router'
import { clsx } from 'clsx'
import {
  ArrowLeftRight,
  ArrowUpRight,
  Bot,
  HandCoins,
  List,
  type LucideIcon,
  Plug,
  Search,
  ShieldCheck,
  UserRound,
  UserRoundPlus,
  Wallet,
} from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { type Call, isAllowed } from '#domain/roles.ts'
import { formatAmount, plural, shortAddress } from '#web/lib/format.ts'
import { networkName, unitOf } from '#web/lib/networks.ts'
import { useDebounced } from '#web/lib/useDebounced.ts'
import { groupsQuery } from '#web/queries/agents.ts'
import { type Contact, contactsQuery } from '#web/queries/contacts.ts'
import { expiringSoon } from '#web/queries/payouts.ts'
import { useRole } from '#web/queries/people.ts'
import { categoryLabel, displayStatus, transactionSearchQuery } from '#web/queries/transactions.ts'
import { canPay, type Wallet as WalletRow, walletName, walletsQuery } from '#web/queries/wallets.ts'
import { type Findable, find, isTransactionPart, longestWord } from './find.ts'
import { other, pagesFor } from './pages.ts'

/**
 * Searches pages, contacts, agents, transactions and actions. Actions come last, so that Enter opens a page or
 * a contact before a payment. The input keeps the focus; arrow keys move in the list, which is never older than the
 * text: Enter would open something else than what was typed. `typed`: before this code was loaded.
 */
export default function CommandPalette(props: { typed: { current: string }; onClose: () => void }) {
  const navigate = useNavigate()
  const [text, setText] = useState(() => props.typed.current)
  const { groups, isSearching } = useCommands(text)
  const all = groups.flatMap(({ commands }) => commands)
  const [activeId, setActiveId] = useState<string | null>(null)
  const active = all.find(({ id }) => id === activeId) ?? all[0]
  const list = useRef<HTMLDivElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const listId = useId()
  const optionId = (command: Command) => `${listId}-${all.indexOf(command)}`

  const shownId = active?.id
  useEffect(() => {
    if (shownId) list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [shownId])

  function run(command: Command | undefined) {
    if (!command) return
    props.onClose()
    navigate(command.link)
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step && active) {
      event.preventDefault()
      setActiveId(all[(all.indexOf(active) + step + all.length) % all.length]!.id)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      run(active)
    }
  }

  return (
    <Dialog.Root open onOpenChange={(open) => !open && props.onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-30 bg-ink/35 transition-opacity duration-150 data-starting-style:opacity-0" />
        <Dialog.Popup
          aria-modal="true"
          initialFocus={input}
          className="fixed inset-x-0 top-0 z-40 mx-auto flex max-h-dvh w-full flex-col bg-card shadow-overlay outline-none transition duration-120 ease-calm data-starting-style:opacity-0 sm:top-[12dvh] sm:max-h-[70dvh] sm:w-[min(36rem,calc(100vw-2rem))] sm:rounded-card"
        >
          <Dialog.Title className="sr-only">Search and commands</Dialog.Title>
          <div className="flex items-center gap-3 border-hairline border-b px-4">
            <Search aria-hidden="true" className="size-5 shrink-0 text-muted" />
            <input
              ref={input}
              type="text"
              role="combobox"
              aria-label="Search and commands"
              aria-expanded={all.length > 0}
              aria-controls={listId}
              aria-autocomplete="list"
              aria-activedescendant={active && optionId(active)}
              autoComplete="off"
              spellCheck={false}
              enterKeyHint="go"
              placeholder="Find a page, contact or agent"
              value={text}
              onChange={(event) => {
                setText(event.target.value)
                setActiveId(null)
              }}
              onKeyDown={onKeyDown}
              className="-outline-offset-2 h-14 min-w-0 flex-1 rounded-control bg-transparent px-2"
            />
            <Dialog.Close className="h-8 rounded-control px-2 text-muted text-small hover:bg-sunken hover:text-ink pointer-coarse:h-11">
              Close
            </Dialog.Close>
          </div>
          <div
            ref={list}
            id={listId}
            role="listbox"
            aria-label="Results"
            className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-2 py-2 empty:hidden"
          >
            {groups.map(({ name, commands }) => (
              // biome-ignore lint/a11y/useSemanticElements: a list box groups its options by role
              <div key={name} role="group" aria-labelledby={`${listId}-${name}`} className="pb-2">
                <p id={`${listId}-${name}`} className="px-3 py-1 font-medium text-muted text-small">
                  {name}
                </p>
                {commands.map((command) => (
                  <Option
                    key={command.id}
                    id={optionId(command)}
                    command={command}
                    active={command === active}
                    onActive={() => setActiveId(command.id)}
                    onRun={() => run(command)}
                  />
                ))}
              </div>
            ))}
          </div>
          <output className={clsx(all.length === 0 ? 'px-6 py-8 text-center text-muted' : 'sr-only')}>
            {all.length > 0
              ? plural(all.length, 'result')
              : isSearching
                ? 'Searching...'
                : `Nothing matches “${text}”. Payments are found by recipient or memo under Filters in Transactions.`}
          </output>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** Handles the mouse only: the focus stays in the input, which handles the keys. */
function Option(props: { id: string; command: Command; active: boolean; onActive: () => void; onRun: () => void }) {
  const { label, note, icon: Icon } = props.command
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles Enter
    // biome-ignore lint/a11y/useFocusableInteractive: the field's aria-activedescendant points here
    <div
      id={props.id}
      role="option"
      aria-selected={props.active}
      onPointerMove={props.onActive}
      onClick={props.onRun}
      className="flex min-h-11 cursor-pointer items-center gap-3 rounded-control px-3 py-1.5 aria-selected:bg-green-tint"
    >
      <Icon aria-hidden="true" className={clsx('size-5 shrink-0', props.active ? 'text-green' : 'text-muted')} />
      <span className="wrap-anywhere min-w-0">{label}</span>
      {note && <span className="ml-auto max-w-1/2 shrink-0 truncate text-muted text-small">{note}</span>}
    </div>
  )
}

type Command = Findable & {
  id: string
  note?: string
  icon: LucideIcon
  link: Pick<LinkProps, 'to' | 'search'>
}
export type CommandGroup = { name: string; commands: Command[] }

const maxPerGroup = 6

/** The commands that match `text`: actions and pages always; contacts, agents and transactions once something is typed. */
function useCommands(text: string): { groups: CommandGroup[]; isSearching: boolean } {
  const wanted = text.trim()
  const role = useRole()
  const maySend = isAllowed(role, 'send')
  const wallets = useQuery(walletsQuery)
  const agents = useQuery(groupsQuery)
  const part = useDebounced(wanted)
  // The server looks for the longest word, and the palette for all of them in what it finds.
  const search = longestWord(part)
  const contacts = useQuery({ ...contactsQuery({ search }), enabled: search !== '' })
  const isPart = isTransactionPart(wanted)
  const transactions = useQuery({ ...transactionSearchQuery(part), enabled: isPart && part === wanted })

  // There may be hundreds of agents: commands are built when these load, and searched when the text changes.
  const contactCommands = useMemo(() => (contacts.data?.contacts ?? []).map(contactCommand), [contacts.data])
  const sendCommands = useMemo(() => (maySend ? contactCommands.map(sendTo) : []), [contactCommands, maySend])
  const agentCommands = useMemo(() => agentCommandsOf(agents.data ?? []), [agents.data])
  const actions = useMemo(
    () => [
      ...fixedActions.filter(({ call }) => isAllowed(role, call)),
      ...(maySend ? (wallets.data ?? []).filter(canPay).map(sendFrom) : []),
    ],
    [wallets.data, role, maySend],
  )
  const goTo = useMemo(() => goToOf((call) => isAllowed(role, call)), [role])
  const groups = useMemo(
    () => [
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
      { name: 'Actions', commands: find(wanted ? [...actions, ...sendCommands] : actions, wanted, 9) },
    ],
    [wanted, goTo, actions, sendCommands, contactCommands, agentCommands, isPart, part, transactions.data],
  )
  return {
    groups: groups.filter(({ commands }) => commands.length > 0),
    isSearching: part !== wanted || contacts.isFetching || (isPart && transactions.isFetching),
  }
}

/** Pages, and lists that answer a question. */
const goToOf = (isAllowed: (call: Call) => boolean): Command[] => [
  ...pagesFor(isAllowed).flatMap(({ entries }) =>
    entries.map(({ to, label, icon }) => ({ id: to, label, words: 'go to open', icon, link: { to } })),
  ),
  {
    id: 'expiring',
    label: 'Payouts that expire within 7 days',
    words: 'go to open soon',
    icon: HandCoins,
    link: { to: '/dashboard/payouts', search: expiringSoon },
  },
]

const action = (call: Call, label: string, icon: LucideIcon, link: Command['link'], words = '') => ({
  call,
  id: label,
  label,
  words,
  icon,
  link,
})
const fixedActions = [
  action(
    'createPayout',
    'Create payout',
    HandCoins,
    { to: '/dashboard/payouts', search: { create: true } },
    'send email phone',
  ),
  action(
    'runs.create',
    'New run',
    List,
    { to: other('runs'), search: { create: true } as never },
    'pay file csv upload many people payroll batch',
  ),
  action(
    'contacts.change',
    'Add contact',
    UserRoundPlus,
    { to: '/dashboard/contacts', search: { add: true } },
    'new create',
  ),
  action(
    'connections.allow',
    'Connect an assistant',
    Plug,
    { to: other('assistants') },
    'app mcp claude chatgpt cursor url',
  ),
  action(
    'policies.createAgent',
    'New agent',
    Bot,
    { to: '/dashboard/agents', search: { newAgent: true } },
    'create add',
  ),
  action(
    'policies.createGroup',
    'New policy group',
    ShieldCheck,
    { to: '/dashboard/agents', search: { newGroup: true } },
    'create add budget',
  ),
  action(
    'wallets.deploy',
    'New wallet',
    Wallet,
    { to: '/dashboard/wallets', search: { deploy: true } },
    'create add deploy',
  ),
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
  note:
    wallet.chain === 'base'
      ? shortAddress(wallet.address)
      : `Test money on ${networkName(wallet.chain)}, ${shortAddress(wallet.address)}`,
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
