export type AgentInput = {
  key: string | null
  id: string
  name: string
  memo: string | null
  policyGroupId: string
  clientId: string
  secretHash: string
  apiKeyHash: string
  /** When D1 got them (ms). */
  issuedAt?: number
}
/** `endsAt`: of those in use; `issuedAt`: when D1 got the new one (ms). */
export type NewCredential = { kind: 'secret' | 'api_key'; hash: string; endsAt: number; issuedAt?: number }
