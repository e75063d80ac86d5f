import { useQuery } from '@tanstack/react-query'
import { ExternalLink } from 'lucide-react'
import { explorerOf } from '../lib/chainConfig.ts'
import { addressGroups, shortAddress } from '../lib/format.ts'
import type { Chain } from '../lib/networks.ts'
import { configQuery } from '../queries/config.ts'
import { CopyButton } from './CopyButton.tsx'

/** An address in short form, with buttons to copy it and to open the explorer. */
export function ShortAddress(props: { address: string; chain?: Chain }) {
  return (
    <span className="inline-flex items-center gap-0.5">
      <span translate="no" className="font-mono text-small" title={props.address}>
        {shortAddress(props.address)}
      </span>
      <CopyButton text={props.address} what="address" />
      <ExplorerLink chain={props.chain ?? 'base'} path={`address/${props.address}`} label="View address in explorer" />
    </span>
  )
}

/**
 * All forty digits in groups of four, five to a line or as many as fit, so that people can compare them. Screen readers
 * read each group alone, too, as it is a box of its own.
 */
export function FullAddress(props: { address: string }) {
  const [first, ...others] = addressGroups(props.address)
  return (
    <p translate="no" className="pl-[2ch] font-mono" data-testid="full-address">
      <span className="flex max-w-[calc(20.5ch+3rem)] flex-wrap gap-x-3 gap-y-0.5">
        <span>
          <span className="-ml-[2ch] text-muted">0x</span>
          {first}
        </span>
        {others.map((group, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the groups of an address never move
          <span key={i}>{group}</span>
        ))}
      </span>
    </p>
  )
}

export const AddressBox = (props: { address: string }) => (
  <div className="rounded-control bg-sunken px-4 py-3">
    <FullAddress address={props.address} />
  </div>
)

/** A link to the chain's explorer. Renders nothing until the deployment's configuration is loaded. */
export function ExplorerLink(props: { chain: Chain; path: string; label: string; text?: string }) {
  const config = useQuery(configQuery).data
  const explorer = config && explorerOf(config, props.chain)
  if (!explorer) return null
  return (
    <a
      href={`${explorer}/${props.path}`}
      target="_blank"
      rel="noopener noreferrer"
      {...(props.text ? {} : { 'aria-label': props.label, title: props.label })}
      className={
        props.text
          ? 'inline-flex items-center gap-1.5 rounded-sm text-green underline underline-offset-3'
          : 'inline-flex size-8 items-center justify-center rounded-control text-muted hover:bg-sunken hover:text-ink pointer-coarse:size-11'
      }
    >
      {props.text}
      <ExternalLink aria-hidden="true" className="size-4" />
    </a>
  )
}

/** A transaction hash in short form, with buttons to copy it and to open the explorer. */
export function TxHash(props: { hash: string; chain: Chain }) {
  return (
    <span className="inline-flex min-w-0 items-center gap-0.5">
      <span translate="no" className="truncate font-mono text-small" title={props.hash}>
        {props.hash.slice(0, 10)}…{props.hash.slice(-8)}
      </span>
      <CopyButton text={props.hash} what="transaction hash" />
      <ExplorerLink chain={props.chain} path={`tx/${props.hash}`} label="View transaction in explorer" />
    </span>
  )
}
