/** @jsxImportSource preact */
import type { RefObject } from 'preact'
import { checksumAddress } from '#domain/validators.ts'
import { Facts } from './Facts.tsx'
import { etherText } from './text.ts'

/** Enough for the most expensive call of this page at a high gas price: 0.0001 ETH. */
const enoughWei = 100_000_000_000_000n

/** The owner's address and its ETH, with a warning if that may not cover the network fees. */
export const OwnerCard = (props: {
  address: string
  /** Wei. */
  ether: bigint
  network: string
  heading: RefObject<HTMLHeadingElement>
}) => (
  <section class="card">
    <h2 ref={props.heading} tabIndex={-1}>
      Your key
    </h2>
    <Facts
      rows={[
        ['Network', props.network],
        ['Owner address', checksumAddress(props.address)],
        ['ETH for network fees', etherText(props.ether)],
      ]}
    />
    {props.ether < enoughWei && (
      <p class="warn">
        Network fees are paid by the owner address. Send about 1 USD of ETH on this network to it, then look up again.
      </p>
    )}
  </section>
)
