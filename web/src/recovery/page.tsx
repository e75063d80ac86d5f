/** @jsxImportSource preact */

import { render } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Address, Hex } from '#chain/types.ts'
import { capitalized } from '#domain/capitalized.ts'
import { checksumAddress, readAddress } from '#domain/validators.ts'
import { type OwnerSecret, ownerSecretOf } from '../lib/ownerSecret.ts'
import { restoreReplacedText } from '../lib/replacedText.ts'
import { knownFactories } from './knownFactories.ts'
import { type LookUpFields, LookUpForm } from './LookUpForm.tsx'
import { LookUp } from './lookUp.ts'
import { EthereumNode, quantity, reasonOf } from './node.ts'
import { wordsOfPasskey } from './PasskeyDoor.tsx'
import type { OnProgress } from './searchLogs.ts'
import type { WalletCall } from './wallet.ts'
import { OwnerCard, Problems, WalletCard } from './walletCards.tsx'

const networks: Record<number, string> = { 8453: 'Base', 84532: 'Base Sepolia (test network)' }

type Status = { text: string; isProblem?: boolean; onStop?: () => void }
/** A look-up, which grows while it runs, and what it needs to go on. */
type Current = { lookUp: LookUp; node: EthereumNode; network: string; key: OwnerSecret }

/** Looks up the owner's wallets, then shows them with the owner's actions. Runs one operation at a time. */
function RecoveryPage() {
  const [status, setStatus] = useState<Status>({ text: '' })
  const [busy, setBusy] = useState(false)
  const [current, setCurrent] = useState<Current | null>(null)
  const [sent, setSent] = useState<{ text: string; hash: Hex }[]>([])
  const [secret, setSecret] = useState('')
  /** The key of the last look-up, kept for the next one, since its text is cleared from the form. */
  const [key, setKey] = useState<OwnerSecret | null>(null)
  const [finished, setFinished] = useState(0)
  const heading = useRef<HTMLHeadingElement>(null)

  useEffect(() => {
    if (finished > 0) heading.current?.focus()
  }, [finished])

  async function run(work: () => Promise<void>): Promise<void> {
    setBusy(true)
    try {
      await work()
    } catch (error) {
      const reason = reasonOf(error as Error)
      setStatus({ text: capitalized(reason), isProblem: true })
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
      if (!stopped) setStatus({ text: `Searching the chain for ${what}: at block ${block}, going back. `, onStop })
      return !stopped
    }
  }

  const openPasskey = () =>
    run(async () => {
      setSecret(await wordsOfPasskey())
      // On a phone the field is above the button.
      document.getElementById('secret')!.scrollIntoView({ block: 'center' })
      setStatus({ text: 'Your 12 words are filled in. Save them on paper, then press Look up.' })
    })

  const connect = ({ rpcUrl, wallet, factory, fromBlock }: LookUpFields) =>
    run(async () => {
      setCurrent(null)
      const owner = secret.trim() === '' && key ? key : ownerSecretOf(secret)
      setKey(owner)
      setSecret('')
      setStatus({ text: 'Connecting to the node …' })
      const onBusy = (ms: number) => {
        const text = `The node does not answer at the moment. Trying again in ${ms / 1000} seconds … `
        setStatus(({ onStop }) => ({ text, ...(onStop && { onStop }) }))
      }
      const node = new EthereumNode(rpcUrl, { onBusy })
      const [reply] = await node.attempt([quantity('eth_chainId')]) // once: the URL may be wrong
      if (reply instanceof Error)
        throw new Error(`This RPC URL does not work: ${reasonOf(reply)}. Check it, or try another one.`)
      const chainId = Number(reply)
      const network = networks[chainId]
      if (!network)
        throw new Error(`This RPC URL belongs to another network (chain id ${chainId}). Use one for Base (8453).`)
      const [namedWallet, namedFactory] = [wallet, factory].map((text) => (text ? readAddress(text) : null))
      if (namedWallet && 'problem' in namedWallet) throw new Error(namedWallet.problem)
      if (namedFactory && 'problem' in namedFactory) throw new Error('The wallet factory is not a valid address.')
      const factories = knownFactories[chainId] ?? []
      if (factories.length === 0 && !factory)
        throw new Error(`This page knows no wallet factory on ${network}. Enter the one on your recovery sheet.`)
      const input = { factories, factory: namedFactory?.value ?? null, wallet: namedWallet?.value ?? null, fromBlock }
      await continueLookUp({ node, network, key: owner, lookUp: new LookUp(node, { owner: owner.address, ...input }) })
    })

  /** Reads what the look-up has not read yet. */
  async function continueLookUp(next: Current): Promise<void> {
    await next.lookUp.run({ searching, onChange: () => setCurrent({ ...next }) })
    setStatus(outcomeOf(next))
    setFinished((count) => count + 1)
  }

  /** Sends calls to a wallet, or to the token. */
  const send = ({ lookUp, node, key }: Current, to: Address, what: string, calls: WalletCall[]) =>
    run(async () => {
      try {
        for (const [i, { data, done }] of calls.entries()) {
          const part = calls.length > 1 ? ` (${i + 1} of ${calls.length})` : ''
          setStatus({ text: `${what}${part}: waiting until it is mined …` })
          const hash = await node.send(key, to, data)
          setSent((all) => [{ text: done, hash }, ...all])
        }
      } finally {
        await lookUp.refresh(to)
      }
      setStatus({ text: `Done: ${what}.` })
    })

  return (
    <main aria-busy={busy}>
      <h1>Recover your wallet</h1>
      <p>
        This page takes your money out of a Bursar wallet, or out of an account that you kept a payout in, without
        Bursar’s servers. It needs your owner key or your 12 words and an RPC URL, and connects to nothing else. Save it
        to your disk and open it from there: it works for as long as the chain exists.
      </p>
      <LookUpForm
        secret={secret}
        knownAddress={key && checksumAddress(key.address)}
        disabled={busy}
        knowsFactories={Object.values(knownFactories).some((factories) => factories.length > 0)}
        onSecret={setSecret}
        onPasskey={openPasskey}
        onLookUp={connect}
      />
      <p id="status" role="status" class={status.isProblem ? 'bad' : ''}>
        <span>{status.text}</span>
        {status.onStop && (
          <button type="button" class="plain" onClick={status.onStop}>
            Stop searching
          </button>
        )}
      </p>
      {current && (
        <>
          <OwnerCard
            address={current.key.address}
            ether={current.lookUp.ether}
            usdc={current.lookUp.usdc}
            disabled={busy}
            onSend={(what, calls) => void send(current, current.lookUp.usdc!.token, what, calls)}
            network={current.network}
            hasWallet={current.lookUp.wallets.length > 0}
            heading={heading}
          />
          {current.lookUp.problems.length > 0 && (
            <Problems
              texts={current.lookUp.problems}
              disabled={busy}
              onRetry={() => void run(() => continueLookUp(current))}
            />
          )}
          {current.lookUp.wallets.map((wallet) => (
            <WalletCard
              key={wallet.state.address}
              wallet={wallet}
              disabled={busy}
              onSend={(what, calls) => void send(current, wallet.state.address, what, calls)}
            />
          ))}
        </>
      )}
      <ul id="log" aria-label="Transactions sent">
        {sent.map(({ text, hash }) => (
          <li key={hash}>
            {text} <code translate={false}>{hash}</code>
          </li>
        ))}
      </ul>
    </main>
  )
}

function outcomeOf({ lookUp: { wallets, problems, usdc }, key }: Current): Status {
  const count = wallets.length
  if (problems.length > 0) {
    const text = count > 0 ? 'Not everything could be read. What was found is below.' : 'Not everything could be read.'
    return { text, isProblem: true }
  }
  if (count > 0) return { text: count === 1 ? 'Your wallet is below.' : `${count} wallets are below.` }
  if (usdc?.amount) return { text: 'Your money is below.' }
  const text = `No wallet of ${checksumAddress(key.address)} was found. If you have a recovery sheet, enter its wallet address and wallet factory above.`
  return { text, isProblem: true }
}

/**
 * The recovery page. It needs none of our servers, only an owner's key and any RPC URL. It is built as one file that can
 * be opened from disk (scripts/recovery.ts), connects only to the RPC URL, and keeps the key in memory.
 */
restoreReplacedText(CharacterData.prototype, 'data')
render(<RecoveryPage />, document.body)
