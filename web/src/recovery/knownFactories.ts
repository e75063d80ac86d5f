import type { Address } from '#chain/types.ts'

/**
 * The factories by chain id that this copy of the page knows: those of the deployment that it was downloaded from. A launch
 * writes them into page.html (launch/workerConfig.ts), which names none by itself.
 */
export const knownFactories: Record<number, Address[]> = JSON.parse(
  document.querySelector<HTMLMetaElement>('meta[name="wallet-factories"]')!.content,
)
