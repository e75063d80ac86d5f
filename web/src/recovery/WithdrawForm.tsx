/** @jsxImportSource preact */
import { useRef, useState } from 'preact/hooks'
import { withdraw } from '#chain/ownerCalls.ts'
import type { Address } from '#chain/types.ts'
import { addressProblem, checksumAddress } from '#domain/validators.ts'
import { addressGroups } from '../lib/address.ts'
import { withdrawalProblem } from '../lib/withdrawalProblem.ts'
import { etherText, usdcText } from './text.ts'
import type { OnSend, WalletState } from './wallet.ts'

const noToken: Address = `0x${'0'.repeat(40)}`

/** A form that withdraws all USDC and ETH of a wallet to an address. */
export function WithdrawForm(props: { wallet: WalletState; disabled: boolean; onSend: OnSend }) {
  const { wallet } = props
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const to = typed.trim()
  const id = `to-${wallet.address}`
  const holdings = [
    { token: wallet.usdcToken, amount: wallet.usdc, text: usdcText(wallet.usdc) },
    { token: noToken, amount: wallet.ether, text: etherText(wallet.ether) },
  ].filter(({ amount }) => amount > 0n)

  function submit() {
    const found = withdrawalProblem(to, wallet.address)
    setProblem(found)
    if (found) return input.current?.focus()
    props.onSend(
      'withdraw everything',
      holdings.map(({ token, amount, text }) => ({
        data: withdraw(token, to as Address, amount),
        done: `Withdrew ${text}.`,
      })),
    )
  }

  return (
    <div class="part">
      <h3>Withdraw everything</h3>
      <label for={id}>To address, on the same network</label>
      <input
        ref={input}
        id={id}
        autocomplete="off"
        spellcheck={false}
        placeholder="0x…"
        class="code"
        value={typed}
        onInput={(event) => {
          setTyped(event.currentTarget.value)
          setProblem(null)
        }}
      />
      <p class="code muted" aria-live="polite">
        {!addressProblem(to) && `0x ${addressGroups(checksumAddress(to)).join(' ')}`}
      </p>
      <p class="bad" role="alert">
        {problem}
      </p>
      <div class="row">
        <button type="button" disabled={props.disabled || holdings.length === 0} onClick={submit}>
          Withdraw {holdings.map(({ text }) => text).join(' and ') || 'everything'}
        </button>
      </div>
    </div>
  )
}
