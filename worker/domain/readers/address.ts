import { type ChainId, networks } from '../networks.ts'
import type { Read } from './read.ts'

/**
 * Reads addresses as wallets, explorers and chats copy them. A prefix that names our network is dropped, another network's is
 * refused: a contract's address there may belong to nobody here. Checksums are checked by validators.ts, which is loaded later.
 */

const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu
const bare = /^0x[0-9a-f]{40}$/i
/** EIP-3770 (`base:0x…`), CAIP-10 (`eip155:8453:0x…`) and EIP-681 (`ethereum:0x…@8453`). */
const prefixed = /^(?<prefix>eip155:\d{1,20}|[a-z][a-z0-9-]{0,30}):(?:pay-)?0x(?<digits>[0-9a-f]{40})(?<rest>.*)$/i

/**
 * The address without what was copied around it, or the whole text if there is none in it, for `addressProblem` to refuse.
 * `note` says what was removed.
 */
export function addressIn(text: string, chainId: ChainId = 8453): Read<{ address: string; note: string | null }> {
  if (text.length > 500) return { value: { address: text, note: null } }
  const visible = text.replace(invisible, '').trim()
  const note = visible === text.trim() ? null : 'Invisible characters were removed from the address.'
  const compact = visible.replace(/\s/g, '') // Our own pages show addresses in groups.
  if (bare.test(compact)) return { value: { address: `0x${compact.slice(2)}`, note } }
  const found = prefixed.exec(compact)?.groups
  if (!found) return { value: { address: visible, note } }
  const { prefix = '', digits, rest = '' } = found
  const { shortName, label } = networks[chainId]
  const isRequest = prefix.toLowerCase() === 'ethereum'
  const [, chain = String(chainId)] = /^@(\d+)/.exec(isRequest ? rest : '') ?? []
  const ours = [shortName, 'ethereum', `eip155:${chainId}`]
  if (!ours.includes(prefix.toLowerCase()) || chain !== String(chainId))
    return { problem: `This address is for another network. It must be one on ${label}.` }
  return rest === '' || (isRequest && /^@\d+$/.test(rest))
    ? { value: { address: `0x${digits}`, note } }
    : { problem: 'This is a request for a payment, not an address. Enter the address itself.' }
}
