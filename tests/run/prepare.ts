/**
 * Prepares what several lanes need and only one process should create: the pages, the Worker's bundle, the state template, a
 * browser, Python, hledger.
 */
import { findBrowser } from '../../local/tools/browser.ts'
import { ensureBuilt } from '../../local/tools/build.ts'
import { findHledger } from '../support/hledger.ts'
import { findPython } from '../support/python.ts'
import { stateTemplate } from '../support/stateTemplate.ts'

await ensureBuilt('web', console.log) // the Worker serves it
await ensureBuilt('worker', console.log)
await stateTemplate()
await findBrowser(console.log)
await findPython(console.log)
await findHledger(console.log)
