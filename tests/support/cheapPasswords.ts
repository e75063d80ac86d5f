/**
 * Lowers the cost of password hashes for all tests of the project. At 0.2 CPU seconds each, they took more than half of
 * the time in workerd. The code that hashes and checks is the same, and hashes contain their cost. Tests of the cost
 * itself run without this file: tests/worker/passwordCost.test.ts.
 */
import { cost } from '../../worker/identity/passwords.ts'

Object.assign(cost, { ln: 4, r: 1, p: 1 })
