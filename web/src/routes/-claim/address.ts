/** Part 1 section 5: why a destination address is not taken, before anything is asked of the chain. Null = go on. */
export function destinationProblem(
  address: string,
  payout: { escrowSubwalletAddress: string } | undefined,
): string | null {
  if (!payout) return 'Payout details not loaded'
  if (!address) return 'Please enter a destination address'
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return 'Invalid Ethereum address format'
  const lower = address.toLowerCase()
  if (lower === payout.escrowSubwalletAddress.toLowerCase())
    return "This is the payout's own address. Enter the address of your wallet."
  if (/^0x0{40}$/.test(lower)) return 'Nobody owns this address. Enter the address of your wallet.'
  return null
}
