/** Builds the web pages and fails if the route tree that the build writes differs from the committed one. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from '../../local/tools/build.ts'
import { root } from '../../local/tools/runTool.ts'

const path = join(root, 'web/src/routeTree.gen.ts')
const before = readFileSync(path, 'utf8')
await build('web')
if (readFileSync(path, 'utf8') !== before) {
  console.error('web/src/routeTree.gen.ts was stale: commit what the build has written')
  process.exitCode = 1
}
