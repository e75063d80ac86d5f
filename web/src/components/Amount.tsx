import { clsx } from 'clsx'
import { createContext, useContext } from 'react'
import { cutAmount, formatAmount } from '../lib/format.ts'
import { type Chain, unitOf } from '../lib/networks.ts'
import { usePrimaryChain } from '../queries/config.ts'
import { Tooltip } from './Tooltip.tsx'

/** The network of the amounts inside it that have no `chain` of their own. */
export const MoneyChain = createContext<Chain | undefined>(undefined)

/** 'USDC' or 'Test USDC'. `chain` defaults to the enclosing MoneyChain, then to the primary network. */
export function useUnit(chain?: Chain): 'USDC' | 'Test USDC' {
  const primary = usePrimaryChain()
  const enclosing = useContext(MoneyChain)
  return unitOf(chain ?? enclosing ?? primary)
}

const Unit = (props: { chain?: Chain | undefined }) => useUnit(props.chain)

/**
 * '$25.00 USDC', two to six decimals; '$25.00 Test USDC' for money on a test network, which has no value. `chain` defaults
 * as in `useUnit`. With a `sign`: '−$25.00 USDC'.
 */
export function Amount(props: {
  value: string
  sign?: '−' | '+' | null
  chain?: Chain | undefined
  className?: string
}) {
  return (
    <span className={clsx('whitespace-nowrap', props.className)}>
      {props.sign}${formatAmount(props.value)}{' '}
      <span className="font-normal text-small text-muted">
        <Unit chain={props.chain} />
      </span>
    </span>
  )
}

/** A balance, cut to two decimals; the exact value shows on hover and focus. */
export function Balance(props: { value: string; chain?: Chain | undefined; className?: string }) {
  const short = cutAmount(props.value)
  const exact = formatAmount(props.value)
  const body = (
    <>
      ${short}{' '}
      <span className="font-normal text-small text-muted">
        <Unit chain={props.chain} />
      </span>
    </>
  )
  if (short === exact) return <span className={clsx('whitespace-nowrap', props.className)}>{body}</span>
  return (
    <Tooltip
      content={
        <>
          {exact} <Unit chain={props.chain} />
        </>
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the exact value shows on focus too */}
      <span tabIndex={0} className={clsx('whitespace-nowrap rounded-sm', props.className)}>
        {body}
      </span>
    </Tooltip>
  )
}
