import type { DefaultAsset, PaymentRequired, PaymentRequirements, SchemeNetworkClient } from '@x402/core/types'
import type { Bursar } from './bursar.ts'
import { notSignedYet, signedWithinMs, type WaitForPurchase } from './purchases.ts'
import type { PurchaseTerms } from './types.ts'

export type SchemeOptions = Pick<PurchaseTerms, 'method' | 'memo' | 'reference' | 'reason'> & {
  /** `approved`: waits for the owner if a purchase needs approval. Default: throws BursarOutcomeUnknown then. */
  wait?: Extract<WaitForPurchase, 'approved'>
}

/** The scheme `exact`, paid by Bursar. */
export type BursarScheme = SchemeNetworkClient & {
  /**
   * Register it with an `x402HTTPClient`, so that Bursar and the owner see the address that you requested. Otherwise they see what
   * the seller calls its resource, which a dishonest seller may make up.
   */
  onPaymentRequired: (context: { paymentRequired: PaymentRequired; requestUrl: string }) => Promise<void>
}

/** Clients of x402 limit what is paid in these to 1 USD unless `setSpendControls` says otherwise. */
const usdc: Record<string, string> = {
  'eip155:8453': '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  'eip155:84532': '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
}

/**
 * Pays for an unmodified client of x402, in USDC on `eip155:8453` (Base) or `eip155:84532` (its test network), whichever the agent's
 * wallet is on. One challenge of a seller is bought at most once, and Bursar is told whether the seller settled.
 *
 * The client's call throws as `bursar.purchases.create` does; some clients keep only the message.
 *
 * @example
 * const scheme = bursarScheme(new Bursar())
 * const client = new x402Client().register('eip155:8453', scheme)
 * const http = new x402HTTPClient(client).onPaymentRequired(scheme.onPaymentRequired)
 * const response = await wrapFetchWithPayment(fetch, http)('https://api.example.com/weather')
 */
export function bursarScheme(bursar: Bursar, { method, wait, ...notes }: SchemeOptions = {}): BursarScheme {
  const requestedAt = new WeakMap<PaymentRequired, string>()
  const challengeOf = new WeakMap<PaymentRequirements, PaymentRequired>()
  const keyOf = new WeakMap<object, string>()
  /** Ids of purchases, by the payload, which the client hands back as it is. */
  const idOf = new WeakMap<object, string>()

  return {
    scheme: 'exact',
    findDefaultAsset(asset, network): DefaultAsset | undefined {
      const isUsdc = usdc[network]?.toLowerCase() === asset.toLowerCase()
      return isUsdc ? { asset, decimals: 6, symbol: 'USDC' } : undefined
    },
    async onPaymentRequired({ paymentRequired, requestUrl }) {
      requestedAt.set(paymentRequired, requestUrl)
    },
    schemeHooks: {
      async onBeforePaymentCreation({ paymentRequired, selectedRequirements }) {
        challengeOf.set(selectedRequirements, paymentRequired)
      },
      async onPaymentResponse({ paymentPayload, settleResponse }) {
        const id = idOf.get(paymentPayload.payload)
        if (id === undefined) return
        const receipt = {
          paymentResponse: settleResponse ? base64Of(settleResponse) : null,
          served: settleResponse?.success === true,
          signal: AbortSignal.timeout(5_000), // 5 seconds
        }
        await bursar.purchases.receipt(id, receipt).catch(() => {}) // for the owner's records only
      },
    },
    async createPaymentPayload(x402Version, requirements) {
      const challenge = challengeOf.get(requirements)
      const resource = challenge && (requestedAt.get(challenge) ?? challenge.resource?.url)
      if (!resource)
        throw new TypeError('resource: the seller names none, so register onPaymentRequired with an x402HTTPClient')
      // A client that asks again for the same challenge gets the same payment.
      const source = challenge ?? requirements
      const idempotencyKey = keyOf.get(source) ?? crypto.randomUUID()
      keyOf.set(source, idempotencyKey)
      const purchase = await bursar.purchases.create({
        resource,
        ...(method !== undefined && { method }),
        paymentRequired: { x402Version, accepts: [requirements] },
        ...notes,
        idempotencyKey,
        wait: wait ?? 'signed',
        ...(!wait && { signal: AbortSignal.timeout(signedWithinMs) }),
      })
      if (purchase.x402 === null) throw notSignedYet(purchase, idempotencyKey)
      const payload = purchase.x402.payload.payload as Record<string, unknown>
      idOf.set(payload, purchase.id)
      return { x402Version, payload }
    },
  }
}

function base64Of(value: unknown): string {
  let text = ''
  for (const byte of new TextEncoder().encode(JSON.stringify(value))) text += String.fromCharCode(byte)
  return btoa(text)
}
