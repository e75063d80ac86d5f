/** @jsxImportSource preact */

import { render } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Address, Hex } from '#chain/types.ts'
import { sameAddress } from '#domain/sameAddress.ts'
import { addressProblem, checksumAddress } from '#domain/validators.ts'
import { type OwnerSecret, ownerSecretOf } from '../lib/ownerSecret.ts'
import { LookUpForm, type LookUpInput } from './LookUpForm.tsx'
import { EthereumNode, type OnProgress } from './node.ts'
import { findPayouts, findWallets, readWallet, type WalletCall } from './wallet.ts'
import { type FoundWallet, OwnerCard, WalletCard } from './walletCards.tsx'

const networks: Record<number, string> = { 8453: 'Base', 84532: 'Base Sepolia (test network)' }

type Status = { text: string; isProblem?: boolean; onStop?: () => void }
/** The result of a look-up; `wallets` grows until `isComplete`. */
type Found = {
  node: EthereumNode
  network: string
  key: OwnerSecret
  /** Wei. */
  ether: bigint
  fromBlock: number
  wallets: FoundWallet[]
  isComplete: boolean
}

/** Looks up the owner's wallets, then shows them with the owner's actions. Runs one operation at a time. */
function RecoveryPage() {
  const [status, setStatus] = useState<Status>({ text: '' })
  const [busy, setBusy] = useState(false)
  const [found, setFound] = useState<Found | null>(null)
  const [sent, setSent] = useState<{ text: string; hash: Hex }[]>([])
  const [secret, setSecret] = useState('')
  /** The key of the last look-up, kept for the next one, since its text is cleared from the form. */
  const [key, setKey] = useState<OwnerSecret | null>(null)
  const heading = useRef<HTMLHeadingElement>(null)

  useEffect(() => {
    if (found?.isComplete) heading.current?.focus()
  }, [found?.isComplete])

  async function run(work: () => Promise<void>): Promise<void> {
    setBusy(true)
    try {
      await work()
    } catch (error) {
      setStatus({ text: error instanceof Error ? error.message : String(error), isProblem: true })
    } finally {
      setBusy(false)
    }
  }

  /** Shows the progress of a search through the chain, with a button to stop it. */
  function searching(what: string): OnProgress {
    let stopped = false
    const onStop = () => {
      stopped = true
    }
    return (block) => {
      setStatus({ text: `Searching the chain for ${what}: at block ${block}, going back. `, onStop })
      return !stopped
    }
  }

  const lookUp = (input: LookUpInput) =>
    run(async () => {
      setFound(null)
      const owner = secret.trim() === '' && key ? key : ownerSecretOf(secret)
      setKey(owner)
      setSecret('')
      const node = new EthereumNode(input.rpcUrl)
      setStatus({ text: 'Connecting to the node …' })
      const chainId = Number(await node.quantity('eth_chainId'))
      const network = networks[chainId]
      if (!network)
        throw new Error(`This RPC URL belongs to another network (chain id ${chainId}). Use one for Base (8453).`)
      const problem = input.wallet && addressProblem(input.wallet)
      if (problem) throw new Error(problem)
      const addresses = input.wallet
        ? [input.wallet as Address]
        : await findWallets(node, owner.address, input.fromBlock, searching('your wallets'))
      if (addresses.length === 0)
        throw new Error(
          `No wallet of ${owner.address} was found. If you know its address, from your recovery sheet, enter it above.`,
        )
      const ether = await node.quantity('eth_getBalance', owner.address, 'latest')
      let next: Found = { node, network, key: owner, ether, fromBlock: input.fromBlock, wallets: [], isComplete: false }
      setFound(next)
      for (const address of addresses) {
        next = { ...next, wallets: [...next.wallets, await load(next, address)] }
        setFound(next)
      }
      setFound({ ...next, isComplete: true })
      const count = addresses.length
      setStatus({ text: count === 1 ? 'Your wallet is below.' : `${count} wallets are below.` })
    })

  async function load({ node, key: owner, fromBlock }: Found, address: Address): Promise<FoundWallet> {
    const state = await readWallet(node, address)
    const isOwner = sameAddress(state.owner, owner.address)
    const payouts = isOwner ? await findPayouts(node, state, fromBlock, searching('unclaimed payouts')) : []
    return { state, isOwner, payouts }
  }

  const send = (current: Found, wallet: Address, what: string, calls: WalletCall[]) =>
    run(async () => {
      for (const [i, { data, done }] of calls.entries()) {
        const part = calls.length > 1 ? ` (${i + 1} of ${calls.length})` : ''
        setStatus({ text: `${what}${part}: waiting until it is mined …` })
        const hash = await current.node.send(current.key, wallet, data)
        setSent((all) => [{ text: done, hash }, ...all])
      }
      const latest = await load(current, wallet)
      const wallets = current.wallets.map((one) => (one.state.address === wallet ? latest : one))
      setFound({ ...current, wallets })
      setStatus({ text: `Done: ${what}.` })
    })

  return (
    <main aria-busy={busy}>
      <h1>Recover your wallet</h1>
      <p>
        This page takes your money out of a Bursar wallet without Bursar’s servers. It needs your owner key and an RPC
        URL, and connects to nothing else. Save it to your disk and open it from there: it works for as long as the
        chain exists.
      </p>
      <LookUpForm
        secret={secret}
        knownAddress={key && checksumAddress(key.address)}
        disabled={busy}
        onSecret={setSecret}
        onLookUp={lookUp}
      />
      <p id="status" role="status" class={status.isProblem ? 'bad' : ''}>
        {status.text}
        {status.onStop && (
          <button type="button" class="plain" onClick={status.onStop}>
            Stop searching
          </button>
        )}
      </p>
      {found && (
        <>
          <OwnerCard address={found.key.address} ether={found.ether} network={found.network} heading={heading} />
          {found.wallets.map((wallet) => (
            <WalletCard
              key={wallet.state.address}
              wallet={wallet}
              disabled={busy}
              onSend={(what, calls) => void send(found, wallet.state.address, what, calls)}
            />
          ))}
        </>
      )}
      <ul id="log" aria-label="Transactions sent">
        {sent.map(({ text, hash }) => (
          <li key={hash}>
            {text} <code>{hash}</code>
          </li>
        ))}
      </ul>
    </main>
  )
}

/**
 * The recovery page. It needs none of our servers, only an owner's key and any RPC URL. It is built as one file that can
 * be opened from disk (scripts/recovery.ts), connects only to the RPC URL, and keeps the key in memory.
 */
render(<RecoveryPage />, document.body)
