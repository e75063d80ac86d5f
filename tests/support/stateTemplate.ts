import { existsSync, mkdirSync } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { schemaHash } from '../../local/stack/database.ts'
import { prepareState } from '../../local/stack/stack.ts'
import { root } from '../../local/tools/runTool.ts'
import { addAccounts } from './readyAccounts.ts'

/**
 * Returns a folder to copy for a stack's state: secrets, and a database with the seed and the accounts of readyAccounts.ts.
 * Created once per schema, because wrangler takes seconds for it, and updated when the seed has changed.
 */
export async function stateTemplate(): Promise<string> {
  const folder = join(root, `.bursar/testState-${schemaHash().slice(0, 16)}`)
  if (!existsSync(folder)) {
    mkdirSync(join(root, '.bursar'), { recursive: true })
    const own = await mkdtemp(`${folder}-`)
    await prepareState(own)
    await addAccounts(own)
    await rename(own, folder).catch(() => rm(own, { recursive: true })) // another process was faster
  }
  await prepareState(folder)
  return folder
}
