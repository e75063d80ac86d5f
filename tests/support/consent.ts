/** A person who answers on the consent page, by the API. */
import assert from 'node:assert/strict'
import type { ConnectionAnswer, ConnectionRequest } from '#schemas/connection.ts'
import type { BursarClient } from '../../local/client.ts'
import type { Sender } from './stackClient.ts'

/** Allows the proposed agent, or a new one from the sender's wallet. Returns where the browser goes. */
export async function consentByApi(bursar: BursarClient, person: Sender, authorizationUrl: URL): Promise<URL> {
  const response = await fetch(authorizationUrl, { redirect: 'manual' })
  const page = new URL(response.headers.get('location') ?? 'about:blank')
  assert.deepEqual([response.status, page.pathname], [302, '/dashboard/connect'], await response.text())
  const path = `/connections/requests/${page.searchParams.get('request')}`
  const token = await person.token()
  const { existing, proposed } = await bursar.api<ConnectionRequest>(path, { token })
  const group = { type: 'new', walletId: person.wallet.id, ...proposed.group }
  const agent = existing
    ? { type: 'existing', agentId: existing.agentId }
    : { type: 'new', name: proposed.agentName, policyGroup: group }
  const body = { agent, password: person.password }
  const { redirect } = await bursar.api<ConnectionAnswer>(`${path}/allow`, { token, body })
  return new URL(redirect!)
}
