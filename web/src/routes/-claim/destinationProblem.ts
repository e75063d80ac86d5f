/** Why a claim's destination is refused, before its checksum is checked; null if it is fine. */
export function destinationProblem(address: string, payout: { payoutAddress: string } | undefined): string | null {
  if (!payout) return 'Payout details not loaded'
  if (!address) return 'Please enter a destination address'
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return 'Invalid Ethereum address format'
  const lower = address.toLowerCase()
  if (lower === payout.payoutAddress.toLowerCase())
    return "This is the payout's own address. Enter the address of your wallet."
  if (/^0x0{40}$/.test(lower)) return 'No one controls this address. Enter the address of your wallet.'
  return null
}
