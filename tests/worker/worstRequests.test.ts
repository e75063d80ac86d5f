import { expect, test } from 'vitest'
import { createApp } from '../../worker/app.ts'
import { worstRequests } from '../long/worst/requests.ts'

test('the test of worst requests has one of each route that is not for operators or local programs @safety-41', () => {
  const routes = createApp()
    .routes.filter(({ method, path }) => method !== 'ALL' && !/^\/(ops|dev)(\/|$)/.test(path))
    .map(({ method, path }) => `${method} ${path.replace(/(.)\/$/, '$1')}`)
  expect(Object.keys(worstRequests).sort()).toEqual([...new Set(routes)].sort())
})
