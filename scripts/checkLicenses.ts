/**
 * `node scripts/checkLicenses.ts`: fails if a package that is shipped (in the Worker, the dashboard, the SDK or the contracts) has
 * a license that nobody has allowed here, or none. Reads package-lock.json.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

type Lock = { packages: Record<string, { version?: string; license?: string; dev?: boolean; link?: boolean }> }

/** They may be combined with MIT, and ask only for their notice. */
const allowed = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'OFL-1.1', // fonts: they keep this license, whose notice is in their files
  'Unlicense',
]

/** Installed only for development, but compiled into the contracts. */
const compiledIn = ['@openzeppelin/contracts']

/** Whether an SPDX expression allows the package to be used under one of `allowed`. */
export const isAllowed = (license = 'none'): boolean =>
  license
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((part) => allowed.includes(part)))

/** Returns a line for each shipped package whose license is not allowed. */
export const licenseProblems = ({ packages }: Lock): string[] =>
  Object.entries(packages).flatMap(([path, { version, license, dev, link }]) => {
    const name = path.split('node_modules/').at(-1)!
    const isShipped = !dev || compiledIn.includes(name)
    if (!path.includes('node_modules/') || link || !isShipped || isAllowed(license)) return []
    return [`${name} ${version}: ${license ?? 'no license'}`]
  })

if (import.meta.main) {
  const lock = JSON.parse(readFileSync(join(import.meta.dirname, '../package-lock.json'), 'utf8')) as Lock
  const problems = licenseProblems(lock)
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
}
