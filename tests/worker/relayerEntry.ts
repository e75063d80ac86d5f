import { DurableObject } from 'cloudflare:workers'
import type { RelayReport } from '../../worker/relayer/types.ts'

export { Relayer } from '../../worker/relayer/relayer.ts'

/** Only listens to what the Relayer tells; deaf while a test wants it to be. */
export class Treasury extends DurableObject {
  heard: RelayReport[] = []
  isDeaf = false

  async relayed(reports: RelayReport[]): Promise<void> {
    if (this.isDeaf) throw new Error('deaf')
    this.heard.push(...reports)
  }
}

export default { fetch: () => new Response('tests only') } satisfies ExportedHandler
