/** @jsxImportSource preact */
import type { TargetedSubmitEvent } from 'preact'
import { PasskeyDoor } from './PasskeyDoor.tsx'

export type LookUpFields = {
  rpcUrl: string
  /** Empty if the chain has to be searched. */
  wallet: string
  /** A wallet factory that this copy of the page does not know; usually empty. */
  factory: string
  /** The first block to search. */
  fromBlock: number
}

/** Asks for an RPC URL, the owner's key, and where to look. The parent holds the key's text, so that it can clear it. */
export function LookUpForm(props: {
  secret: string
  /** Address of the key kept in memory; null before the first look-up. */
  knownAddress: string | null
  disabled: boolean
  /** Whether this copy of the page knows any wallet factory. */
  knowsFactories: boolean
  onSecret: (text: string) => void
  /** Fills in the words of an account that a passkey opens. */
  onPasskey: () => void
  onLookUp: (input: LookUpFields) => void
}) {
  function submit(event: TargetedSubmitEvent<HTMLFormElement>) {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    const text = (name: string) => String(fields.get(name)).trim()
    const block = text('fromBlock')
    props.onLookUp({
      rpcUrl: text('rpcUrl'),
      wallet: text('wallet'),
      factory: text('factory'),
      fromBlock: /^\d+$/.test(block) ? Number(block) : 0,
    })
  }

  return (
    <form class="card" noValidate onSubmit={submit}>
      <label for="rpc">RPC URL</label>
      <input
        id="rpc"
        name="rpcUrl"
        type="url"
        defaultValue="https://mainnet.base.org"
        autocomplete="off"
        spellcheck={false}
        class="code"
        required
      />
      <label for="secret">Recovery phrase or private key of the owner</label>
      <textarea
        id="secret"
        rows={3}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        class="code"
        required
        value={props.secret}
        placeholder={props.knownAddress ? `Kept in this tab: the key of ${props.knownAddress}` : ''}
        onInput={(event) => props.onSecret(event.currentTarget.value)}
      />
      <p class="muted">Stays in this tab. It signs here and is never sent or stored.</p>
      <label for="wallet">
        Wallet address <span class="muted">(on your recovery sheet; without it the chain is searched)</span>
      </label>
      <input id="wallet" name="wallet" autocomplete="off" spellcheck={false} placeholder="0x…" class="code" />
      <details open={!props.knowsFactories}>
        <summary>If your wallet is not found, or the search takes long</summary>
        <label for="factory">
          Wallet factory <span class="muted">(on your recovery sheet)</span>
        </label>
        <input id="factory" name="factory" autocomplete="off" spellcheck={false} placeholder="0x…" class="code" />
        <p class="muted">
          {props.knowsFactories
            ? 'This page knows the factories that existed when it was saved. A newer wallet needs its own.'
            : 'This copy of the page knows no factory, so it needs yours.'}{' '}
          Take it only from your own sheet: wallets of other contracts are not shown.
        </p>
        <label for="from-block">Search back to block</label>
        <input id="from-block" name="fromBlock" inputmode="numeric" autocomplete="off" defaultValue="0" class="code" />
        <p class="muted">
          The block in which your wallet was created is enough. The explorer shows it for the creation transaction.
        </p>
      </details>
      <div class="row">
        <button type="submit" disabled={props.disabled}>
          Look up
        </button>
        <PasskeyDoor disabled={props.disabled} onOpen={props.onPasskey} />
      </div>
    </form>
  )
}
