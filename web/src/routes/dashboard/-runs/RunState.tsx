import { Chip, Tick } from '#web/components/Chip.tsx'
import type { RunItem } from '#web/queries/runs.ts'
import { stateOf } from './words.ts'

export function RunState({ run }: { run: RunItem }) {
  const { label, tone } = stateOf(run)
  return run.status === 'DONE' ? <Tick inWords>{label}</Tick> : <Chip tone={tone}>{label}</Chip>
}
