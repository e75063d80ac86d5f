import { ensureBuilt } from '../local/tools/build.ts'
import type { Step } from './steps.ts'

export const buildStep: Step = {
  name: 'build',
  effect: 'builds the contracts, the pages and the Worker if their sources have changed',
  cost: 'about a minute the first time',
  async run() {
    const built: string[] = []
    for (const target of ['contracts', 'web', 'worker'] as const) await ensureBuilt(target, () => built.push(target))
    return { changed: built.length > 0, note: built.length > 0 ? built.join(', ') : 'already built' }
  },
}
