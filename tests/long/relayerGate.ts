/** A node in front of a stack's chain that can keep the Relayer from simulating, and knows when the Relayer is idle. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { serve } from '../../local/standIns/server.ts'

export type RelayerGate = {
  url: string
  /** While it is closed, requests in which a relayer account simulates or sends get no reply. */
  setOpen(isOpen: boolean): void
  /** The time since which the Relayer has neither simulated nor sent anything (ms). */
  idleSince(): number
  stop(): Promise<void>
}

type Request = { method: string; params: [{ from?: string }?, ...unknown[]] }

/** Only the Relayer sets a sender in its calls. */
const isRelayers = ({ method, params }: Request) =>
  method === 'eth_sendRawTransaction' || (method === 'eth_call' && params[0]?.from !== undefined)

export async function startRelayerGate(target: string): Promise<RelayerGate> {
  let isOpen = true
  let busy = 0
  let idleSince = Date.now()

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const parsed = JSON.parse(body) as Request | Request[]
    const isWork = (Array.isArray(parsed) ? parsed : [parsed]).some(isRelayers)
    if (isWork && !isOpen) return void request.socket.destroy()
    if (isWork) busy += 1
    try {
      const answer = await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      response.setHeader('content-type', 'application/json')
      response.end(await answer.text())
    } finally {
      if (isWork) busy -= 1
      if (isWork) idleSince = Date.now()
    }
  }

  const server = await serve((request, response) => {
    handle(request, response).catch(() => request.socket.destroy())
  })
  return {
    ...server,
    setOpen(next) {
      isOpen = next
    },
    idleSince: () => (busy > 0 ? Date.now() : idleSince),
  }
}
