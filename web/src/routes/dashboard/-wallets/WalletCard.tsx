import { useQuery } from '@tanstack/react-query'
import { ArrowDownLeft, ArrowUpRight, LoaderCircle } from 'lucide-react'
import { ShortAddress } from '../../../components/Address.tsx'
import { Balance } from '../../../components/Amount.tsx'
import { Button } from '../../../components/Button.tsx'
import { Card } from '../../../components/Card.tsx'
import { Chip } from '../../../components/Chip.tsx'
import { formatAmount } from '../../../lib/format.ts'
import { canPay, sessionKeyQuery, type Wallet, walletName } from '../../../queries/wallets.ts'
import { SessionKeyBar, SessionKeyChip } from './SessionKey.tsx'

export function WalletCard(props: {
  wallet: Wallet
  refreshMs: number | false
  busy: boolean
  onRetry: () => void
  onSend: () => void
  onReceive: () => void
}) {
  const { wallet } = props
  const smart = wallet.walletType === 'smart'
  const sessionKey = useQuery({
    ...sessionKeyQuery(wallet.id),
    enabled: smart && wallet.status === 'active',
    refetchInterval: props.refreshMs,
  })
  return (
    <Card aria-label={walletName(wallet)} data-testid="wallet-card" className="flex min-w-0 flex-1 flex-col p-5">
      <div className="flex items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="truncate font-semibold">{walletName(wallet)}</h2>
          <p className="text-muted text-small">
            {wallet.chain === 'base' ? 'Base' : 'Base Sepolia: test network, no real money'}
          </p>
        </div>
        <div className="flex flex-wrap justify-end gap-1.5">
          {wallet.status === 'deploying' && <Chip tone="waiting">Deploying</Chip>}
          {wallet.status === 'failed' && <Chip tone="bad">Deployment failed</Chip>}
          {wallet.status === 'active' && smart && <SessionKeyChip query={sessionKey} />}
          {smart && (
            <Chip tone="neutral" plain>
              Smart
            </Chip>
          )}
        </div>
      </div>
      <div className="mt-1">
        <ShortAddress address={wallet.address} chain={wallet.chain} />
      </div>
      <WalletBalance wallet={wallet} busy={props.busy} onRetry={props.onRetry} />
      {wallet.status === 'deploying' ? (
        <p role="status" className="mt-4 flex items-center gap-2 text-muted text-small">
          <LoaderCircle aria-hidden="true" className="size-4 animate-spin" />
          The wallet is being created on Base.
        </p>
      ) : wallet.status === 'failed' ? (
        <p className="mt-4 text-muted text-small">The wallet was not created. Create a new one instead.</p>
      ) : (
        sessionKey.data && <SessionKeyBar info={sessionKey.data} />
      )}
      <div className="mt-auto flex gap-3 pt-5">
        <Button className="flex-1" onClick={props.onSend} disabled={!canPay(wallet)}>
          <ArrowUpRight aria-hidden="true" className="size-4" />
          Send
        </Button>
        <Button look="secondary" className="flex-1" onClick={props.onReceive} disabled={wallet.status !== 'active'}>
          <ArrowDownLeft aria-hidden="true" className="size-4" />
          Receive
        </Button>
      </div>
    </Card>
  )
}

function WalletBalance(props: { wallet: Wallet; busy: boolean; onRetry: () => void }) {
  const { usdcBalance, held, escrowed } = props.wallet
  const notes = [
    held !== '0' && `$${formatAmount(held)} held for payments under way`,
    escrowed !== '0' && `$${formatAmount(escrowed)} in unclaimed payouts`,
  ].filter(Boolean)
  return (
    <div className="mt-3">
      <p className="text-muted text-small">Balance</p>
      {usdcBalance ? (
        <p data-testid="wallet-balance">
          <Balance value={usdcBalance.balance} className="font-semibold text-[28px]/9" />
        </p>
      ) : (
        <p className="flex items-center gap-3">
          <span className="font-semibold text-title">Unavailable</span>
          <Button look="secondary" busy={props.busy} onClick={props.onRetry}>
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
