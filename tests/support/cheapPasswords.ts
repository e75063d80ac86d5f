/**
 * Lowers the cost of password hashes until the end of the test file: a setup file of the project `worker`, imported by
 * single files of other projects. At 0.2 CPU seconds each, hashes took more than half of the time in workerd. The code
 * that hashes and checks is the same, and hashes contain their cost. Tests of the cost itself run without this file:
 * tests/worker/passwordCost.test.ts.
 */
import { afterAll } from 'vitest'
import { cost } from '../../worker/identity/passwords.ts'

const production = { ...cost }
Object.assign(cost, { ln: 4, r: 1, p: 1 })
afterAll(() => {
  Object.assign(cost, production)
})
