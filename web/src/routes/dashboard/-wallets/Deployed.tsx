import { useQuery } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, LoaderCircle } from 'lucide-react'
import { useState } from 'react'
import type { PublicConfig } from '#schemas/account.ts'
import { FullAddress } from '#web/components/Address.tsx'
import { Button } from '#web/components/Button.tsx'
import { Fact } from '#web/components/Card.tsx'
import { CopyButton } from '#web/components/CopyButton.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { Timeline } from '#web/components/Timeline.tsx'
import { chainConfig, contractsOfWallet } from '#web/lib/chainConfig.ts'
import { networkName } from '#web/lib/networks.ts'
import { configQuery } from '#web/queries/config.ts'
import { type Wallet, walletName } from '#web/queries/wallets.ts'
import { whyNotDeployed } from './deployment.ts'

/** Shown while the wallet is deployed. `wallet` is null until the server replies. It can't be closed until `slow`. */
export function Deploying(props: { wallet: Wallet | null; slow: boolean; onLeave: () => void }) {
  const { wallet, slow } = props
  const [startedAt] = useState(() => new Date().toISOString())
  return (
    <Dialog
      title="Deploying your wallet"
      description={slow ? 'This takes longer than usual.' : 'This takes a few seconds. Please keep this page open.'}
      onClose={props.onLeave}
      closable={slow}
      footer={slow && <Button onClick={props.onLeave}>Continue in background</Button>}
    >
      <div role="status">
        <Timeline
          live
          steps={[
            { label: 'Owner key generated in this browser', at: startedAt },
            { label: 'Sent to Base', at: wallet ? startedAt : null },
            { label: 'Confirmed on Base', at: null },
          ]}
        />
        {slow && (
          <div className="mt-4 space-y-2">
            <p className="rounded-control bg-amber-tint px-3 py-2 text-amber text-small">{whyNotDeployed(wallet)}</p>
            <p className="text-muted text-small">
              {wallet
                ? 'You can leave: Bursar keeps trying, and the wallet is on the Wallets page, where you can also delete it. Keep your recovery phrase, and send nothing to its address before it is there.'
                : 'You can leave. If the wallet was created, it is on the Wallets page. Keep your recovery phrase.'}
            </p>
          </div>
        )}
      </div>
    </Dialog>
  )
}

/** The deployed wallet. This browser checks, without the server, that the address is derived from the owner key. */
export function Deployed(props: { wallet: Wallet; ownerAddress: string; onClose: () => void }) {
  const { wallet } = props
  return (
    <Dialog
      title="Smart Wallet Created"
      description={`${walletName(wallet)} is ready on ${networkName(wallet.chain)}.`}
      onClose={props.onClose}
      footer={
        <>
          <CopyButton text={wallet.address} what="address" wide />
          <Button onClick={props.onClose}>Done</Button>
        </>
      }
    >
      <p className="mb-1 text-muted text-small">Wallet address</p>
      <div className="mb-3 rounded-control bg-sunken px-4 py-3">
        <FullAddress address={wallet.address} />
      </div>
      <AddressCheck wallet={wallet} ownerAddress={props.ownerAddress} />
      <dl className="mt-3 divide-y divide-hairline">
        <Fact name="Owner">
          <span className="break-all font-mono text-small">{props.ownerAddress}</span>
        </Fact>
        <Fact name="Session key">
          <span className="break-all font-mono text-small">{wallet.sessionKeyAddress}</span>
        </Fact>
      </dl>
    </Dialog>
  )
}

/** The address that the factory derives from this owner and session, computed in the browser. */
async function expectedAddress(config: PublicConfig, wallet: Wallet, ownerAddress: string): Promise<string> {
  const { walletAddress } = await import('#chain/addresses.ts')
  type Hex = `0x${string}`
  const contracts = contractsOfWallet(chainConfig(config, wallet.chain), wallet)
  if (!contracts) throw new Error(`contract set ${wallet.contractSet} is not known here`)
  const { factory, walletImplementation, provider } = contracts
  return walletAddress(
    { factory: factory as Hex, walletImplementation: walletImplementation as Hex, provider: provider as Hex },
    {
      owner: ownerAddress as Hex,
      salt: wallet.salt as Hex,
      sessionKey: wallet.sessionKeyAddress as Hex,
      limit: BigInt(wallet.spendingLimit),
      validUntil: wallet.validUntil,
    },
  )
}

function AddressCheck(props: { wallet: Wallet; ownerAddress: string }) {
  const { wallet, ownerAddress } = props
  const config = useQuery(configQuery).data
  const { data: expected, isError } = useQuery({
    queryKey: ['wallet-address', wallet.id, ownerAddress],
    queryFn: () => expectedAddress(config!, wallet, ownerAddress),
    enabled: config !== undefined,
  })
  if (isError) return <p className="text-amber text-small">This browser could not check the address.</p>
  if (!expected)
    return (
      <p className="flex items-center gap-2 text-muted text-small">
        <LoaderCircle aria-hidden="true" className="size-4 animate-spin" />
        Checking the address in this browser
      </p>
    )
  if (expected.toLowerCase() !== wallet.address.toLowerCase())
    return (
      <p role="alert" className="flex items-start gap-2 rounded-control bg-red-tint px-3 py-2 text-red text-small">
        <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
        This address does not match your owner key. Do not send money to it, and contact support.
      </p>
    )
  return (
    <p data-testid="address-matches" className="flex items-start gap-2 text-green text-small">
      <CircleCheck aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      Address verified: your browser computed the same address from your owner key and the factory contract.
    </p>
  )
}
