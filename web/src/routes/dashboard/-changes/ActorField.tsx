import { LabeledSelect } from '#web/components/Select.tsx'
import type { FilterFieldProps } from '#web/lists/filters.ts'
import { useActors } from '#web/queries/changes.ts'
import { actorName } from './words.ts'

/** Picks one of those who are in the history. */
export default function ActorField(props: FilterFieldProps) {
  const actors = useActors() ?? []
  const choices = actors.map((actor) => [actor.id, actorName(actor)] as const)
  return <LabeledSelect {...props} label="By" none="Everybody" choices={choices} />
}
