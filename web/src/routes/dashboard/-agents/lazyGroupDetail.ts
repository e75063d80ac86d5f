import { lazy } from 'react'

const load = () => import('./GroupDetail.tsx')

export const GroupDetail = lazy(async () => ({ default: (await load()).GroupDetail }))

// Its code has all rules, which the list of groups does not need; it comes together with the groups. Not in the route's own
// file: what that does at once, it does on every page.
load().catch(() => undefined) // `lazy` tries again
