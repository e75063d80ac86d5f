import type { ReactNode } from 'react'
import type { Call } from '#domain/roles.ts'
import { useMay } from '../queries/people.ts'

/** Shows what only those may see who may make this call; for others it is absent. */
export const May = (props: { call: Call; children: ReactNode }) => (useMay(props.call) ? props.children : null)
