import { useMutation, useQuery } from '@tanstack/react-query'
import { type Connector, useConfig, useConnection, useReadContract, useSwitchChain } from 'wagmi'
import { signMessage } from 'wagmi/actions'
import { formatUsdc } from '#domain/money.ts'
import { chainNameOf } from '#domain/networks.ts'
import { sameAddress } from '#domain/sameAddress.ts'
import { ShortAddress } from '../components/Address.tsx'
import { Balance } from '../components/Amount.tsx'
import { Button } from '../components/Button.tsx'
import { Fact } from '../components/Card.tsx'
import { Chip } from '../components/Chip.tsx'
import { ErrorBox, Field } from '../components/Field.tsx'
import { Select } from '../components/Select.tsx'
import { useSession } from '../lib/session.ts'
import { linkAddress, unlinkAddress } from '../queries/account.ts'
import { configQuery } from '../queries/config.ts'
import { ConnectButton, nameOf, WalletIcon } from './ConnectDialog.tsx'
import { type ChainId, chainIds, chainNames, isSupported, useDisconnectAll } from './config.ts'
import { walletProblem } from './problems.ts'
import { WalletLayer } from './WalletLayer.tsx'

const notSaved = 'Failed to save public address. Please try again.'

/** The connected wallet, and the account's public address. */
export default function WalletSection() {
  return (
    <WalletLayer>
      <Connection />
      <LinkedAddress />
    </WalletLayer>
  )
}

function Connection() {
  const { address, chainId, connector } = useConnection()
  if (address && connector) return <Connected address={address} chainId={chainId} connector={connector} />
  return (
    <div className="space-y-3">
      <p className="text-muted">Connect a wallet to link its address to your account or to own a smart wallet.</p>
      <ConnectButton />
    </div>
  )
}

function Connected(props: { address: `0x${string}`; chainId: number | undefined; connector: Connector }) {
  const { address, chainId, connector } = props
  const { user } = useSession()
  const config = useConfig()
  const disconnect = useDisconnectAll()
  const link = useMutation({
    retry: false,
    mutationFn: (userId: string) =>
      linkAddress(userId, address, (message) => signMessage(config, { account: address, message })),
  })
  const linked = sameAddress(user?.publicAddress, address)

  return (
    <>
      <dl className="divide-y divide-hairline">
        <Fact name="Wallet">
          <span className="inline-flex items-center gap-2">
            <WalletIcon connector={connector} />
            {nameOf(connector)}
          </span>
        </Fact>
        <Fact name="Address">
          <ShortAddress address={address} chain={chainId === 84532 ? 'base-sepolia' : 'base'} />
        </Fact>
        {isSupported(chainId) && (
          <Fact name="Balance">
            <UsdcBalance address={address} chainId={chainId} />
          </Fact>
        )}
      </dl>
      <div className="mt-3 space-y-4">
        <NetworkSelect chainId={chainId} />
        {link.error && <ErrorBox>{walletProblem(link.error, notSaved)}</ErrorBox>}
      </div>
      <div className="mt-4 flex flex-wrap gap-3">
        {user && !linked && (
          <Button look="secondary" busy={link.isPending} onClick={() => link.mutate(user.id)}>
            {link.isPending ? 'Sign in your wallet...' : 'Link to my account'}
          </Button>
        )}
        <Button look="secondary" onClick={() => disconnect.mutate()}>
          Disconnect
        </Button>
      </div>
    </>
  )
}

const balanceOf = [
  {
    type: 'function',
    name: 'balanceOf',
    stateMutability: 'view',
    inputs: [{ name: 'account', type: 'address' }],
    outputs: [{ name: '', type: 'uint256' }],
  },
] as const

function UsdcBalance(props: { address: `0x${string}`; chainId: ChainId }) {
  const { address, chainId } = props
  const usdc = useQuery(configQuery).data?.chains[chainId].contracts.usdc
  const { data, isError } = useReadContract({
    abi: balanceOf,
    address: usdc as `0x${string}`,
    functionName: 'balanceOf',
    args: [address],
    chainId,
    // The transport already retries.
    query: { enabled: usdc !== undefined, retry: false },
  })
  if (isError || (data === undefined && !usdc)) return <span className="text-muted">Unavailable</span>
  return data === undefined ? (
    <span className="text-muted">Loading...</span>
  ) : (
    <Balance value={formatUsdc(data)} chain={chainNameOf(chainId)} />
  )
}

/** The account's public address, which does not depend on a connected wallet. */
function LinkedAddress() {
  const { user } = useSession()
  const unlink = useMutation({ retry: false, mutationFn: unlinkAddress })
  if (!user?.publicAddress) return null
  return (
    <div className="mt-4 border-hairline border-t pt-3">
      {unlink.error && <ErrorBox>{walletProblem(unlink.error, notSaved)}</ErrorBox>}
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div>
          <p className="mb-1 text-muted text-small">Linked to your account</p>
          <span className="inline-flex flex-wrap items-center gap-2">
            <ShortAddress address={user.publicAddress} />
            <Chip tone="good">Linked</Chip>
          </span>
        </div>
        <Button look="secondary" busy={unlink.isPending} onClick={() => unlink.mutate(user.id)}>
          Unlink
        </Button>
      </div>
    </div>
  )
}

/** The wallet's network. Choosing another one asks the wallet, which may have to add it first. */
function NetworkSelect(props: { chainId: number | undefined }) {
  const { chainId } = props
  const { error, isPending, switchChain, variables } = useSwitchChain({ mutation: { retry: false } })
  const shown = isPending ? variables.chainId : isSupported(chainId) ? chainId : ''
  return (
    <Field
      label="Network"
      error={error ? walletProblem(error) : undefined}
      hint={isPending ? 'Respond to the request in your wallet.' : shown === '' && 'Your wallet is on another network.'}
    >
      {(control) => (
        <Select
          {...control}
          value={shown}
          disabled={isPending}
          onChange={(event) => switchChain({ chainId: Number(event.target.value) as ChainId })}
          none={shown === '' ? 'Another network' : undefined}
          choices={chainIds.map((id) => [String(id), chainNames[id]])}
        />
      )}
    </Field>
  )
}
