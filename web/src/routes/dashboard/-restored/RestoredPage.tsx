import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ShortAddress } from '#web/components/Address.tsx'
import { Amount, MoneyChain } from '#web/components/Amount.tsx'
import { Button } from '#web/components/Button.tsx'
import { Card, Fact, PageHeader } from '#web/components/Card.tsx'
import { Chip } from '#web/components/Chip.tsx'
import { linkClass } from '#web/components/Links.tsx'
import { May } from '#web/components/May.tsx'
import { Notice } from '#web/components/Notice.tsx'
import { EmptyState, Loaded, SkeletonRows } from '#web/components/states.tsx'
import { formatMoment, plural } from '#web/lib/format.ts'
import { permissionsInWords } from '#web/lib/scopes.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { accountQuery, groupsQuery, type PolicyGroup, type PolicyGroupWithAgents } from '#web/queries/agents.ts'
import { useMay } from '#web/queries/people.ts'
import { walletName } from '#web/queries/wallets.ts'
import { contactScope } from '../-agents/groupForm.ts'
import { useResume } from '../-agents/pausing.tsx'
import { askedFirst, limitsInWords } from '../-agents/policyWords.ts'

/** After the account was restored from a backup: the rules of each policy group as they are now, and a button to resume it. */
export default function RestoredPage() {
  const account = useQuery(accountQuery)
  const groups = useQuery(groupsQuery)
  useTitle('Restored account')
  const both = {
    data: account.data && groups.data && { restored: account.data.restored, groups: groups.data },
    error: account.error ?? groups.error,
    refetch: () => Promise.all([account.refetch(), groups.refetch()]),
  }
  return (
    <>
      <PageHeader title="Restored account" />
      <Loaded query={both} inCard loading={<SkeletonRows rows={6} />} fallback="Failed to load your policy groups">
        {({ restored, groups }) =>
          restored === null ? (
            <Card>
              <EmptyState title="Nothing to review">This account was never restored from a backup.</EmptyState>
            </Card>
          ) : (
            <div className="grid grid-cols-1 gap-4">
              <Explanation {...restored} />
              {groups.length === 0 && (
                <Card>
                  <EmptyState title="No policy groups">There were none at the time of the backup.</EmptyState>
                </Card>
              )}
              {groups.map((group) => (
                <GroupToReview key={group.policyGroup.id} {...group} />
              ))}
            </div>
          )
        }
      </Loaded>
    </>
  )
}

function Explanation(props: { at: string; asOf: string }) {
  return (
    <Notice tone="warning">
      <p>
        On {formatMoment(props.at)}, this account was restored from a backup of {formatMoment(props.asOf)}. Payments and
        payouts since then are known, and none is made again. Other changes since then are lost: groups, budgets and
        whitelists are as they were.
      </p>
      <p className="mt-2">
        So that nothing that you have revoked works again, all API keys, webhooks, permissions and session keys have
        ended. Compare the rules below with what you remember, and resume a group only if they are right. Then create
        new API keys under{' '}
        <Link to="/dashboard/agents" className={linkClass}>
          Agents
        </Link>
        , and renew session keys under{' '}
        <Link to="/dashboard/wallets" className={linkClass}>
          Wallets
        </Link>
        .
      </p>
    </Notice>
  )
}

function GroupToReview({ policyGroup: group, agents }: PolicyGroupWithAgents) {
  const resume = useResume()
  const mayResume = useMay('policies.resume')
  const isPaused = group.status === 'paused'
  return (
    <MoneyChain value={group.wallet?.chain}>
      <Card aria-labelledby={group.id} className="p-5">
        <div className="mb-2 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
          <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
            <h2 id={group.id} className="wrap-anywhere font-semibold">
              {group.name}
            </h2>
            <Chip tone={isPaused ? 'waiting' : 'good'}>{isPaused ? 'Paused' : 'Active'}</Chip>
          </div>
          <div className="flex flex-wrap gap-3 max-sm:w-full max-sm:*:grow">
            <May call="policies.editGroup">
              <Link
                to="/dashboard/agents"
                search={{ group: group.id, editGroup: true }}
                className="inline-flex h-10 items-center justify-center rounded-sm px-3 font-medium text-green"
                aria-label={`Change rules of ${group.name}`}
              >
                Change rules
              </Link>
            </May>
            {isPaused && mayResume && (
              <Button
                busy={resume.isPending}
                aria-label={`Resume ${group.name}`}
                onClick={() => resume.mutate({ kind: 'group', id: group.id, name: group.name })}
              >
                Resume
              </Button>
            )}
          </div>
        </div>
        <dl className="divide-y divide-hairline">
          <Fact name="Budget">
            <Budget group={group} />
          </Fact>
          <Fact name="Wallet">
            <Wallet group={group} />
          </Fact>
          <Fact name="Permissions">{permissionsInWords(group.scopes)}</Fact>
          <Fact name="Advanced limits">
            <Lines lines={limitsInWords(group)} />
          </Fact>
          <Fact name="Ask me first">{askedFirst(group) ?? 'Never'}</Fact>
          {group.scopes.includes(contactScope) && (
            <Fact name={plural(group.whitelistedCount, 'whitelisted contact')}>
              <Lines lines={contactLines(group)} />
            </Fact>
          )}
          <Fact name={plural(agents.length, 'agent')}>
            <Lines lines={agents.map(({ name }) => name)} />
          </Fact>
        </dl>
      </Card>
    </MoneyChain>
  )
}

function contactLines({ whitelistedContacts, whitelistedCount }: PolicyGroup): string[] {
  const more = whitelistedCount - whitelistedContacts.length
  return [
    ...whitelistedContacts.map(({ contact, stale }) => `${contact.name}${stale ? ' (changed)' : ''}`),
    ...(more > 0 ? [`and ${more.toLocaleString('en-US')} more; change the rules to see them all`] : []),
  ]
}

function Budget({ group }: { group: PolicyGroup }): ReactNode {
  const { spendLimitUsdc: limit, currentSpent, held } = group
  return (
    <>
      <Amount value={currentSpent} /> spent, <Amount value={held} /> held,{' '}
      {limit === null ? (
        <span>no limit</span>
      ) : (
        <span>
          of <Amount value={limit} />
        </span>
      )}
    </>
  )
}

function Wallet({ group: { wallet } }: { group: PolicyGroup }): ReactNode {
  if (!wallet) return 'Deleted'
  return (
    <span className="inline-flex flex-wrap items-center justify-end gap-x-2">
      <span className="wrap-anywhere">{walletName(wallet)}</span>
      <ShortAddress address={wallet.address} chain={wallet.chain} />
    </span>
  )
}

const Lines = (props: { lines: string[] }): ReactNode =>
  props.lines.length === 0 ? (
    <span className="text-muted">None</span>
  ) : (
    <ul>
      {props.lines.map((line, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: names may be equal
        <li key={i} className="wrap-anywhere">
          {line}
        </li>
      ))}
    </ul>
  )
