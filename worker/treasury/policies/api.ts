export type AgentInput = {
  key: string | null
  id: string
  name: string
  memo: string | null
  policyGroupId: string
  clientId: string
  secretHash: string
  apiKeyHash: string
  /** When the credentials were written to D1 (ms). */
  issuedAt?: number
}
/** `endsAt` is when existing ones expire, `issuedAt` when the new one was written to D1 (ms). */
export type NewCredential = { kind: 'secret' | 'api_key'; hash: string; endsAt: number; issuedAt?: number }
