/** `node tests/support/runVectors.ts <folder> <names as JSON>`: runs those cases with the SDK in that folder, and prints which fail. */
import { resolve } from 'node:path'
import { failureOf, loadSdk } from './vectorRunner.ts'
import { readVectors } from './vectors.ts'

const [folder = 'sdk/src', names = '[]'] = process.argv.slice(2)
const chosen = JSON.parse(names) as string[]
const vectors = readVectors()
const sdk = await loadSdk(resolve(folder))
const failed: string[] = []

/** A case that waits for something that never comes. */
const lateMs = 5_000
const realTimeout = globalThis.setTimeout

for (const vector of vectors.cases.filter(({ name }) => chosen.length === 0 || chosen.includes(name))) {
  const late = new Promise<string>((end) => void realTimeout(end, lateMs, 'late').unref())
  if ((await Promise.race([failureOf(vectors, vector, sdk), late])) !== null) failed.push(vector.name)
}
console.log(JSON.stringify(failed))
process.exit()
