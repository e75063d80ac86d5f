import { DurableObject } from 'cloudflare:workers'
import type { JobReport } from '../../worker/relayer/api.ts'

export { Relayer } from '../../worker/relayer/relayer.ts'

/** Records the reports it receives, unless a test makes it fail or never return. */
export class Treasury extends DurableObject {
  received: JobReport[] = []
  isFailing = false
  isHanging = false

  async reportJobs(reports: JobReport[]): Promise<void> {
    if (this.isFailing) throw new Error('failing on purpose')
    if (this.isHanging) await new Promise(() => {})
    this.received.push(...reports)
  }
}

export default { fetch: () => new Response('tests only') } satisfies ExportedHandler
