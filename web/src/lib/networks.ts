import { usdcUnit } from '#domain/networks.ts'

/** The networks that Bursar works on, as the API names them. */
export type Chain = 'base' | 'base-sepolia'

export const chainIdOf = (chain: Chain) => (chain === 'base' ? 8453 : 84532)
export const networkName = (chain: Chain) => (chain === 'base' ? 'Base' : 'Base Sepolia')
/** The unit of amounts on `chain`. */
export const unitOf = (chain: Chain) => usdcUnit(chain !== 'base')
/** For use within a sentence. */
export const networkPhrase = (chain: Chain) => (chain === 'base' ? 'the Base network' : 'the Base Sepolia test network')
/** For places where money is about to move. */
export const networkWarning = (chain: Chain) =>
  chain === 'base' ? 'Base' : 'Base Sepolia (test network, no real money)'
