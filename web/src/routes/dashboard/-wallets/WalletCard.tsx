import { useMutation, useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { LoaderCircle } from 'lucide-react'
import { haltText } from '#domain/walletHalt.ts'
import { ActionMenu } from '#web/components/ActionMenu.tsx'
import { ShortAddress } from '#web/components/Address.tsx'
import { Balance } from '#web/components/Amount.tsx'
import { Button } from '#web/components/Button.tsx'
import { Card } from '#web/components/Card.tsx'
import { Chip } from '#web/components/Chip.tsx'
import { GatedButton } from '#web/components/GatedButton.tsx'
import { IconButton } from '#web/components/IconButton.tsx'
import { formatAmount } from '#web/lib/format.ts'
import { networkName } from '#web/lib/networks.ts'
import { ownerWord } from '#web/lib/otherAccount.ts'
import { usePrimaryChain } from '#web/queries/config.ts'
import { useAllowed } from '#web/queries/people.ts'
import { cannotPay, retryBalance, sessionKeyQuery, type Wallet, walletName } from '#web/queries/wallets.ts'
import { isLate, whyNotDeployed } from './deployment.ts'
import { SessionKeyBar, SessionKeyChip } from './SessionKey.tsx'
import { actionsAt } from './walletActions.ts'
import type { WalletActionId } from './walletSearch.ts'

/** One wallet: status, address, balance, session key, exposure, and its actions. */
export function WalletCard(props: {
  wallet: Wallet
  refreshMs: number | false
  onAction: (id: WalletActionId) => void
}) {
  const { wallet } = props
  const smart = wallet.walletType === 'smart'
  const isTest = wallet.chain !== 'base'
  const isAllowed = useAllowed()
  const sessionKey = useQuery({
    ...sessionKeyQuery(wallet.id),
    enabled: smart && wallet.status === 'active',
    refetchInterval: props.refreshMs,
  })
  // An empty wallet has nothing to send, and one without a valid key sends nothing.
  const isEmpty = !isTest && wallet.usdcBalance?.balance === '0'
  const main: WalletActionId = sessionKey.data?.isActive === false ? 'session' : isEmpty ? 'addFunds' : 'send'
  return (
    <Card aria-label={walletName(wallet)} data-testid="wallet-card" className="flex min-w-0 flex-1 flex-col">
      {isTest && (
        <p className="rounded-t-card bg-amber-tint px-5 py-1.5 text-amber text-small">Test network: not real money</p>
      )}
      <div className="flex min-w-0 flex-1 flex-col p-5">
        <div className="flex items-start justify-between gap-3">
          <div className="min-w-0">
            <h2 className="truncate font-semibold" title={walletName(wallet)}>
              {walletName(wallet)}
            </h2>
            <p className="text-muted text-small">{networkName(wallet.chain)}</p>
          </div>
          <ActionMenu
            label={`More for ${walletName(wallet)}`}
            items={actionsAt('menu', wallet, isAllowed).map(([id, { label, icon, enabled, danger }]) => ({
              label,
              icon,
              disabled: !(enabled?.(wallet) ?? true),
              danger: danger ?? false,
              onSelect: () => props.onAction(id),
            }))}
          />
        </div>
        <div className="mt-1.5 flex min-h-6 flex-wrap gap-1.5">
          <Chip tone="neutral" plain>
            {smart ? 'Smart' : 'Imported'}
          </Chip>
          {isTest && (
            <Chip tone="waiting" plain>
              Test
            </Chip>
          )}
          {wallet.status === 'deploying' && <Chip tone="waiting">Deploying</Chip>}
          {wallet.status === 'failed' && <Chip tone="bad">Deployment failed</Chip>}
          {wallet.status === 'active' && smart && <SessionKeyChip query={sessionKey} />}
          {wallet.paused && <Chip tone="waiting">Paused</Chip>}
          {wallet.halted && <Chip tone="bad">Stopped</Chip>}
        </div>
        <div className="mt-1 flex items-center">
          <ShortAddress address={wallet.address} chain={wallet.chain} />
          {actionsAt('address', wallet, isAllowed).map(([id, { label, icon: Icon, enabled }]) => (
            <IconButton
              key={id}
              label={label}
              onClick={() => props.onAction(id)}
              disabled={!(enabled?.(wallet) ?? true)}
              className="disabled:opacity-40"
            >
              <Icon aria-hidden="true" className="size-4" />
            </IconButton>
          ))}
        </div>
        <WalletBalance wallet={wallet} />
        {wallet.status === 'deploying' ? (
          <p role="status" className="mt-4 flex items-center gap-2 text-muted text-small">
            <LoaderCircle aria-hidden="true" className="size-4 animate-spin" />
            {isLate(wallet) ? whyNotDeployed(wallet) : `The wallet is being created on ${networkName(wallet.chain)}.`}
          </p>
        ) : wallet.status === 'failed' ? (
          <p className="mt-4 text-muted text-small">
            {`The wallet was not created${wallet.deployProblem ? `: ${wallet.deployProblem.replace(/\.$/, '')}` : ''}. Create a new one instead.`}
          </p>
        ) : (
          <>
            <WhyStopped wallet={wallet} />
            {sessionKey.data && <SessionKeyBar info={sessionKey.data} onRenew={() => props.onAction('session')} />}
            <WalletExposure wallet={wallet} />
          </>
        )}
        <div className="mt-auto flex flex-wrap gap-2 pt-5 empty:hidden">
          {actionsAt('button', wallet, isAllowed).map(([id, { label, enabled }]) => (
            <GatedButton
              key={id}
              look={id === main ? 'primary' : 'secondary'}
              className="flex-1 px-2!"
              onClick={() => props.onAction(id)}
              missing={enabled?.(wallet) === false ? cannotPay(wallet) : null}
            >
              {label}
            </GatedButton>
          ))}
        </div>
      </div>
    </Card>
  )
}

function WhyStopped({ wallet: { paused, halted, walletType } }: { wallet: Wallet }) {
  const halt = halted && haltText(halted, walletType)
  const text = halt
    ? `Payments are stopped. ${halt.what} ${halt.next}`
    : paused
      ? 'Payments are paused. Resume them on the Agents page.'
      : null
  return text && <p className={clsx('mt-3 text-small', halted ? 'text-red' : 'text-amber')}>{text}</p>
}

function WalletBalance(props: { wallet: Wallet }) {
  const { id, chain, usdcBalance, spendable, held, inPayouts } = props.wallet
  const retry = useMutation({ mutationFn: () => retryBalance(id), retry: false })
  const notes = [
    spendable && spendable.now !== usdcBalance?.balance && `$${formatAmount(spendable.now)} available to spend now`,
    spendable && spendable.arriving !== '0' && `$${formatAmount(spendable.arriving)} arriving`,
    held !== '0' && `$${formatAmount(held)} held for payments in progress`,
    inPayouts !== '0' && `$${formatAmount(inPayouts)} in unclaimed payouts`,
  ].filter(Boolean)
  return (
    <div className="mt-3">
      <p className="text-muted text-small">Balance</p>
      {usdcBalance ? (
        <p data-testid="wallet-balance">
          <Balance value={usdcBalance.balance} chain={chain} className="font-semibold text-[28px]/9" />
        </p>
      ) : (
        <p className="flex items-center gap-3">
          <span className="font-semibold text-title">Unavailable</span>
          <Button look="secondary" busy={retry.isPending} onClick={() => retry.mutate()}>
            Try again
          </Button>
        </p>
      )}
      {notes.map((note) => (
        <p key={String(note)} className="text-muted text-small">
          {note}
        </p>
      ))}
    </div>
  )
}

/**
 * How much of this wallet's money can move without its owner, on the primary network only. The rest about its key is in Session
 * Key Management.
 */
function WalletExposure(props: { wallet: Wallet }) {
  const primaryChain = usePrimaryChain()
  const { exposure, chain, walletType, status } = props.wallet
  if (exposure === null || chain !== primaryChain || status !== 'active') return null
  const canLeave = (
    <span data-testid="wallet-can-leave">
      <Balance value={exposure.canLeave} className="text-ink" />
    </span>
  )
  const agents = (
    <span data-testid="wallet-agents-can">
      <Balance value={exposure.agents} className="text-ink" />
    </span>
  )
  return (
    <p data-testid="wallet-exposure" className="mt-4 text-muted text-small">
      {walletType === 'imported' ? (
        <>
          We keep this wallet’s key, so all of it, {canLeave}, can leave without {ownerWord()}; agents can use {agents}.
        </>
      ) : (
        <>
          Without {ownerWord()} at most {canLeave} can leave; agents can use {agents} of it.
        </>
      )}
    </p>
  )
}
