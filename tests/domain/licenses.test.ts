import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isAllowed, licenseProblems } from '../../scripts/checkLicenses.ts'

test('an expression is allowed if one of its choices is allowed in all parts @licenses-1', () => {
  for (const license of ['MIT', 'MIT OR GPL-3.0-only', '(Apache-2.0 AND MIT)'])
    expect(isAllowed(license), license).toBe(true)
  for (const license of ['GPL-3.0-only', 'MIT AND GPL-3.0-only', 'SEE LICENSE IN LICENSE', undefined])
    expect(isAllowed(license), license).toBe(false)
})

test('all packages that we ship are allowed @licenses-3', () => {
  const lock = readFileSync(join(import.meta.dirname, '../../package-lock.json'), 'utf8')
  expect(licenseProblems(JSON.parse(lock))).toEqual([])
})

test('shipped packages are checked, also nested ones and those compiled into contracts; others are not @licenses-2', () => {
  const packages = {
    '': { license: 'GPL-3.0-only' },
    'node_modules/a': { version: '1.0.0', license: 'GPL-3.0-only' },
    'node_modules/b/node_modules/@c/d': { version: '2.0.0' },
    'node_modules/e': { version: '1.0.0', license: 'GPL-3.0-only', dev: true },
    'node_modules/@openzeppelin/contracts': { version: '5.0.0', license: 'GPL-3.0-only', dev: true },
    'node_modules/f': { link: true },
  }
  expect(licenseProblems({ packages })).toEqual([
    'a 1.0.0: GPL-3.0-only',
    '@c/d 2.0.0: no license',
    '@openzeppelin/contracts 5.0.0: GPL-3.0-only',
  ])
})
