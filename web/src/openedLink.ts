import { withoutEnd } from './lib/linkEnd.ts'

// Imported before all other code, which reads the address.
const href = withoutEnd(location.href)
if (href !== location.href) history.replaceState(history.state, '', href)
