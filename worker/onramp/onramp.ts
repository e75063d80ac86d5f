export type OnrampOrder = {
  destinationAddress: string
  /** US dollars, for example '50.00'. */
  amount: string
  /** Where the buyer is sent afterwards. */
  redirectUrl: string
  /** The buyer's network address, or null if unknown. */
  clientIp: string | null
}

/** A seller of USDC for card payments. */
export interface Onramp {
  /** Returns the URL of the seller's checkout page. Throws AppError if there is none. */
  createSession(order: OnrampOrder): Promise<string>
}
